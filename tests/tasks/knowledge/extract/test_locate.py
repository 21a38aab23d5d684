"""A quotation is found where its words stand, in whatever dress it comes, and nowhere else."""

import pytest

from rarefy.tasks.knowledge.extract.locate import find_quote, find_words

TEXT = (
    "Net sales rose.\n\n"
    "The Company’s “Services” segment—its largest—earned $1.5 billion in\u00a0fiscal 2024, up 12%. "
    "It employs about 3,700 people in Orléans and Türkiye®.\n\n"
    "The of\ufb01ce co\u00adoperates with *Acme Corp.* in the\nfollowing areas:\n\n•Research and develop-\nment;\n\n"
    "We furthered our work with Foxconn to build next-generation\n\n42\n\nelectric vehicles and batteries."
)
SERVICES = "The Company’s “Services” segment—its largest—earned $1.5 billion in\u00a0fiscal 2024, up 12%."


def found(quote, text=TEXT):
    return [text[start:end] for start, end in find_quote(quote, text)]


@pytest.mark.parametrize(
    "quote",
    [
        SERVICES,
        SERVICES.replace("’", "'").replace("“", '"').replace("”", '"'),
        SERVICES.replace("—", " - "),
        SERVICES.replace("—", "--").replace("\u00a0", " "),
        f"  {SERVICES}\n",
        SERVICES.removesuffix("."),
        SERVICES.replace(" ", "\n"),
        SERVICES.upper(),
        "The Company’s “Services” segment ... up 12%.",
        "The Company’s “Services” segment […] fiscal 2024, up 12%.",
    ],
)
def test_a_sentence_in_another_dress_has_the_texts_own_span(quote):
    assert found(quote) == [SERVICES]


@pytest.mark.parametrize(
    ("quote", "true"),
    [
        (
            "It employs about 3700 people in Orleans and Turkiye.",
            "It employs about 3,700 people in Orléans and Türkiye®.",
        ),
        ("The office cooperates with Acme Corp.", "The of\ufb01ce co\u00adoperates with *Acme Corp."),
        (
            "in the following areas: •Research and development;",
            "in the\nfollowing areas:\n\n•Research and develop-\nment;",
        ),
        (
            "We furthered our work with Foxconn to build next-generation electric vehicles and batteries.",
            "We furthered our work with Foxconn to build next-generation\n\n42\n\nelectric vehicles and batteries.",
        ),
    ],
)
def test_marks_ligatures_hyphens_and_page_ends_are_seen_through(quote, true):
    assert found(quote) == [true]


LIST = (
    "A participant may be removed if any of these occurs:"
    "\n\n(a) It fails a condition;\n\n(b) It conceals a fact & lies."
    "\n\nRemoval lasts for a year. It may be shortened. A request is needed for that."
)


@pytest.mark.parametrize(
    ("quote", "true"),
    [
        (
            "A participant may be removed if any of these occurs: (b) It conceals a fact & lies.",
            LIST[: LIST.index("\n\nRemoval")],
        ),
        ("Removal lasts for a year. A request is needed for that.", LIST[LIST.index("Removal") :]),
        ("(b) It conceals a fact &amp; lies.", "(b) It conceals a fact & lies."),
        ("[c2] It may be shortened.", "It may be shortened."),
        ("It fails a condition;\\n\\n(b) It conceals a fact", "It fails a condition;\n\n(b) It conceals a fact"),
    ],
)
def test_parts_of_a_paragraph_or_of_a_list_under_its_lead_in_are_joined(quote, true):
    assert found(quote, LIST) == [true]


def test_parts_of_different_paragraphs_are_not_joined():
    assert found("(a) It fails a condition; Removal lasts for a year.", LIST) == []
    assert found("Removal lasts for a year. (a) It fails a condition;", LIST) == []


@pytest.mark.parametrize(
    "quote",
    [
        SERVICES.replace("1.5", "15"),
        SERVICES.replace("12%", "21%"),
        SERVICES.replace("largest", "smallest"),
        SERVICES.replace("12%", "12 points"),
        "It employs about 3,70",
        "mploys about 3,700 people",
        "up 12%. ... The Company’s “Services” segment",
        "The Company’s “Services” segment ... next-generation",
        "",
        "...",
        "It",
    ],
)
def test_other_words_other_numbers_and_torn_words_are_not_found(quote):
    assert found(quote) == []


def test_every_place_is_given_where_a_sentence_stands_twice():
    assert (
        len(find_quote("Sales rose again.", "Sales rose again. We hired. Sales  rose again.")) == 1
    )  # verbatim is nearer
    assert len(find_quote("Sales rose again.", "Sales rose again. We hired. Sales rose again.")) == 2


def test_what_was_not_shown_is_not_searched():
    assert find_quote("Net sales rose.", TEXT, since=5) == []


@pytest.mark.parametrize(
    ("said", "true"),
    [("services", "Services"), ("$1.5 billion", "$1.5 billion"), ("12 %", "12%"), ("1.5", "1.5"), ("Service", None)],
)
def test_short_words_are_found_whole(said, true):
    place = find_words(said, SERVICES)
    assert (SERVICES[slice(*place)] if place else None) == true
