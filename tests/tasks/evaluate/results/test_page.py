"""The page as it is written: complete without a script, nothing from outside, and no text that is markup."""

import re
from html.parser import HTMLParser

import pytest

from rarefy.tasks.evaluate.results import page, summary
from rarefy.tasks.text.characters import visible

HOSTILE = {
    "script": "<script>window.broken = 1</script>",
    "end": "</script><script>window.broken = 1</script><!--",
    "image": "<img src=x onerror='window.broken = 1'>",
    "attribute": '" onmouseover="window.broken=1" x=\'',
    "svg": "<svg onload=window.broken=1><title></svg>",
    "template": "{{ 7*7 }}{% raw %}",
    "bidi": "pay \u202e0001$ \u2066now\u2069",
    "control": "a\x00b\x0bc\x7fd\ufeffe\u2028f\u2029g",
    "entity": "&lt;script&gt; &amp;#60;",
    "surrogate": "tag \U000e0041 astral 😀",
}


class Elements(HTMLParser):
    """Every element with its attributes, and the text of those that hold text alone."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.fixture
def written(told, numbers, made) -> str:
    return page(summary(told, numbers), made())


def test_the_page_needs_nothing_from_outside(written):
    for tag, told in Elements(written).found:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base"), tag
        assert not told.get("src"), (tag, told)
        assert (told.get("href") or "#").startswith("#"), (tag, told)
    assert not re.findall(r"url\(|@import|https?://", written.split("<script")[0])
    assert "default-src 'none'" in written


def test_the_numbers_stand_without_a_script(written):
    static = re.sub(r"<script.*?</script>", "", written, flags=re.S)
    for text in ("0.600", "[0.550, 0.650]", "0.410 to 0.530", "Retriever at fault"):
        assert text in static
    for heading in ("Headline", "Robustness per perturbation", "Curves", "Retrieval", "Funnel and coverage", "Cost"):
        assert f"<h2>{heading}</h2>" in static
    assert "real_world" in static  # an option that the paper leaves open
    assert "RARE Table 3" in static


def test_the_refusal_rate_stands_beside_robustness(written):
    row = re.search(r"<tbody>(?:(?!</tbody>).)*>character<.*?</tbody>", written, re.S)[0]
    assert 'data-label="refused"' in row
    assert "0.200" in row


def test_every_linked_number_has_its_rows_and_its_words(written):
    import json

    data = json.loads(re.search(r'id="data">(.*?)</script>', written, re.S)[1])
    links = {told["data-set"] for tag, told in Elements(written).found if tag == "a" and "data-set" in told}
    assert {int(one) for one in data["sets"]} == {int(one) for one in data["numbers"]}
    rare = {one for one, told in data["numbers"].items() if data["words"][told[1]] in ("RARE-Met", "Retrieval")}
    assert rare <= links
    assert links & set(data["sets"])


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_text_from_outside_is_never_markup(hostile, text):
    written = page(*_parts(hostile(text)))
    plain = page(*_parts(hostile("revenue")))
    allowed = {(tag, *sorted(told)) for tag, told in Elements(plain).found}
    found = {(tag, *sorted(told)) for tag, told in Elements(written).found}
    assert found <= allowed, found - allowed  # the same elements with the same attributes, whatever the text
    assert written.count("<script") == plain.count("<script") == 2
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u2028\u2029\x00\x0b\x7f\ufeff]", written)


def _parts(made):
    told, numbers, tables = made
    return summary(told, numbers), tables


def test_unseen_characters_are_spelled_out():
    assert visible("a\u202eb\x00") == "a⟨U+202E⟩b⟨U+0000⟩"
    assert visible("Größe 47.5 % – ok\n\t") == "Größe 47.5 % – ok\n\t"
    assert visible(3) == 3


def test_the_same_result_gives_the_same_page(told, numbers, made):
    assert page(summary(told, numbers), made()) == page(summary(told, list(reversed(numbers))), made())


def test_a_result_without_numbers_or_rows_is_still_a_page(told, made):
    empty = {name: table.slice(0, 0) for name, table in made(1).items()}
    written = page(summary(told, []), empty)
    assert "<h2>Funnel and coverage</h2>" in written
    assert "Headline" not in re.findall(r"<h2>(.*?)</h2>", written)


def test_without_hits_the_page_has_no_rows_of_retrieval(told, numbers, made):
    tables = made(2)
    del tables["hits"]
    assert "Recall@10" in page(summary(told, numbers), tables)


def test_a_system_that_nobody_named_is_shown_too(told, changed, made):
    numbers = [changed("SIG", 0.5, system="plain, better", protocol="sure", headline=True)]
    assert "plain, better" in page(summary(told, numbers), made(1))


def test_many_slices_are_cut_and_said(told, changed, made):
    numbers = [changed("Overall Robustness", 0.5, f"entity=Company {n}") for n in range(60)]
    assert "20 more are in figures.parquet" in page(summary(told, numbers), made(1))


def test_two_rates_of_refusals_have_two_names(told, changed, made):
    metrics = ("Overall Robustness", "Real-World Retrieval Robustness")
    numbers = [changed(metric, 0.5, headline=True) for metric in metrics]
    numbers += [changed(f"{metric}: refusal rate", 0.2) for metric in metrics]
    written = page(summary(told, numbers), made(1))
    labels = re.findall(r'rowspan="(\d+)".*?<bdi>(.*?)</bdi>', written)
    assert labels == [
        ("1", "refused"), ("1", metrics[0]), ("1", metrics[1]), ("1", "refused, unchanged questions")
    ]  # fmt: skip


def test_what_was_not_tried_has_no_row_and_is_counted(told, changed, made):
    skipped = {"n_scored": 0, "n_skipped": 4}
    retrieval = {"system": "", "protocol": "retrieval"}
    numbers = [
        changed("Overall Robustness", 0.5, "query=character"),
        changed("Overall Robustness", None, "query=word", **skipped),
        changed("Recall@5", 0.5, "retriever=bm25, perturbation=none", **retrieval),
        *(changed(f"all gold@{k}", None, "retriever=bm25, perturbation=none", **retrieval, **skipped) for k in (1, 5)),
    ]
    written = re.sub(r"<section id=\"numbers.*", "", page(summary(told, numbers), made(1)), flags=re.S)
    assert "Without any answer to count: <bdi>word</bdi>" in written
    assert "Not tried, as there is no question for it here" in written and "that need several passages" in written
    assert ">not tried<" not in written and "all gold@" not in written


def test_a_figure_and_its_sign_stay_on_one_line(written):
    shown = re.sub(r"<(script|style).*?</\1>|<svg.*?</svg>", "", written, flags=re.S)
    assert re.search(r"\d\N{NO-BREAK SPACE}%", shown)
    assert not re.search(r"\d %", re.sub(r"<[^>]*>", "", shown).replace("its 95 % interval", ""))


def test_classes_of_noise_at_one_ratio_have_a_table_that_says_what_they_are(told, changed, made):
    mushroom = {"protocol": "magic_mushroom"}
    rows = [changed("Cor.", 0.5, headline=True, **mushroom)]
    rows += [changed("Cor.", 0.1, f"class={name}, ratio=0.9", **mushroom) for name in ("distracting", "irrelevant")]
    written = page(summary(told, rows), made(1))
    assert "by class, ratio 0.9" in written
    assert "distracting: copies of the right passage with another value" in written and "low quality:" not in written
