"""What holds of every member of the catalogue that works offline, over all that the sample corpus gives."""

from dataclasses import replace
from itertools import islice
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.data_contracts.rows import COMPUTED, Pool, Triplet, row_id
from rarefy.tasks.corpus import chunk, read
from rarefy.tasks.knowledge import extract, graph, normalise
from rarefy.tasks.models.nli import NLIConfig
from rarefy.tasks.perturb import CATALOGUE, Case, PerturbConfig, vary
from rarefy.tasks.perturb.catalogue import count_wanted, load_maker
from rarefy.tasks.perturb.checks import CHECKS
from rarefy.tasks.perturb.pools import draw
from rarefy.tasks.perturb.vary import make_cases
from rarefy.tasks.questions import ask, gates
from rarefy.tasks.sample import CORPUS

OFFLINE = [name for name, entry in CATALOGUE.items() if entry.rules]
CONFIG = PerturbConfig()
SOME = 300  # questions, of some two thousand
FEW = 12  # questions looked at one by one, against all of them together


def letters(texts):
    """Counts of letters stand in for an embedding: nothing here is about what is alike."""
    return np.array([[t.lower().count(chr(97 + i)) + 1.0 for i in range(26)] for t in texts])


@pytest.fixture(scope="session")
def everything():
    """Questions, chunks and pools of the sample corpus, by the rules that need no parser."""
    documents, chunks, found = {}, {}, []
    config = extract.ExtractConfig(methods=("cover", "tables", "officers"))
    for source in read.sources.list_sources(CORPUS):
        some = [row for row in read.read(source, read.ReadConfig()) if hasattr(row, "doc_id")]
        own = list(chunk.chunk(some, chunk.ChunkConfig()))
        documents |= {d.doc_id: d for d in some}
        chunks |= {c.chunk_id: c for c in own}
        found += list(extract.extract(own, config, documents=documents))
    embed = lambda texts: np.eye(len(texts), 8, dtype=np.float32)  # noqa: E731  (no names are compared by meaning here)
    named = normalise.normalise(found, normalise.NormaliseConfig(), embed=embed)
    triplets = {t.triplet_id: t for t in named if isinstance(t, Triplet)}
    paths = list(graph.trace(triplets.values(), graph.GraphConfig()))
    asked = ask.ask(paths, ask.AskConfig(), triplets=triplets, chunks=chunks, documents=documents)
    questions = [
        q for q in gates.judge(asked, gates.GatesConfig(), chunks=chunks, triplets=triplets) if not q.rejected_because
    ]
    assert len(questions) > 900
    # of every kind and document; all of them take many minutes and find no more
    questions = sorted(questions, key=lambda q: row_id("some", q.question_id))[:SOME]
    assert {q.pattern for q in questions} >= {"single", *COMPUTED, "listing", "absent"}
    pools = {p.pool_id: p for p in draw(questions, CONFIG, chunks=chunks, triplets=triplets)}
    assert len(pools) == sum(question.pattern != "absent" for question in questions)
    return questions, chunks, pools


@pytest.fixture(scope="session")
def nli(tmp_path_factory):
    """The offline check."""
    return NLIConfig().connect(tmp_path_factory.mktemp("nli"))


def only(name):
    entry = CATALOGUE[name]
    lists = {side: (name,) if side == entry.side else () for side in ("query", "document", "context")}
    return replace_config(lists)


def replace_config(lists):
    return CONFIG.model_copy(update={**lists, "threshold": -1.0})


@pytest.mark.parametrize("name", OFFLINE)
def test_a_variant_holds_to_its_entry(name, everything, nli):
    questions, chunks, pools = everything
    entry, config = CATALOGUE[name], only(name)
    rows = list(vary(questions, config, chunks=chunks, pools=pools, embed=letters, nli=nli))
    own = [v for v in rows if v.perturbation == name]
    by_id = {q.question_id: q for q in questions}
    # an absence has no passage that could be changed
    tried = {name for name, q in by_id.items() if entry.side == "query" or q.pattern != "absent"}
    assert {v.question_id for v in own} == tried, "a question without a row is lost"
    kept = [v for v in own if not v.rejected_because]
    assert kept, f"{name} keeps nothing of the whole sample"
    assert len({v.variant_id for v in rows}) == len(rows)
    for variant in kept:
        question = by_id[variant.question_id]
        text = question.text if entry.side == "query" else chunks[variant.chunk_id].text
        assert variant.text.strip() and (variant.text != text or not entry.changes or entry.side == "context")
        assert sorted(variant.checks) == sorted(entry.checks), "kept, though not all was checked"
        assert (variant.side, variant.family) == (entry.side, entry.family)
        if entry.side == "document":
            assert variant.chunk_id in question.chunk_ids
        case = next(
            c for c in make_cases(question, entry, config, chunks, pools.get(row_id("pool", question.question_id)))
        )
        if entry.per == "question" or entry.side == "query" or variant.chunk_id == case.chunk_id:
            from rarefy.tasks.perturb import Draft

            # of a computed answer one operand is another; the others may stay
            replaced = variant.detail.rpartition(" for ")[2] if name == "distracting" and case.computed else ""
            for check in (c for c in entry.checks if c in CHECKS):
                assert CHECKS[check](case, Draft(variant.text, replaced=replaced)) == "", (
                    f"{check}: {variant.text[:300]}"
                )
        for span in variant.spans:
            assert span.chunk_id == variant.chunk_id and 0 <= span.start < span.end <= len(variant.text)
    several = [v for v in kept if v.number > 0]
    assert not several or count_wanted(entry, config) > 1

    few = sorted(questions, key=lambda q: row_id("few", q.question_id))[:FEW]
    alone = [
        v
        for q in few
        for v in vary([q], config, chunks=chunks, pools=pools, embed=letters, nli=nli)
        if v.perturbation == name
    ]
    names = {q.question_id for q in few}
    assert {v.variant_id: v for v in alone} == {v.variant_id: v for v in own if v.question_id in names}


STRANGE = {
    "empty": "",
    "a word": "Revenue",
    "a mark": "?",
    "white space": " \n\t ",
    "a table": "| | 2024 | 2023 |\n|---|---|---|\n| Net sales | $47,525 | $40,111 |\n| Other | — | (3.5) |",
    "right to left": "כמה הכנסות היו לחברה בשנת 2024? ההכנסות היו 47.5 מיליארד דולר.",
    "zero width": "Net\u200b sales\u200d were\ufeff $47.5\u00a0billion.",
    "combining": "Cafe\u0301 Zürich’s İstanbul straße sold 12 units. ﬁnal ﬃ.",
    "emoji": "Sales 📈 rose 12% 👩‍👩‍👧 in 2024. 🇳🇴 was first.",
    "quotes": 'He said "no \\" \\n yes" and \'{"a": [1, 2]}\' --- # x: - y & <b>z</b> </body>]]>',
    "control": "a\x00b\x0bc\x1bd\ud800e",
    "crlf": "One line.\r\nAnother line, in 2024.\r\rA third.",
}


def strange(entry, text, answer="47.5"):
    chunk_id = "" if entry.side == "query" else "c"
    pool = Pool("p", "q", (), (), ())
    return Case(
        "id",
        entry.side,
        text,
        "q",
        "What were sales?",
        answer,
        chunk_id=chunk_id,
        title='A <title> & "more"',
        pool=pool,
    )


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("name", OFFLINE)
def test_strange_texts_are_survived_the_same_way_twice(name, kind):
    entry = CATALOGUE[name]
    case = strange(entry, STRANGE[kind])
    twice = [list(islice(load_maker(entry)(case, CONFIG, Random(1)), 3)) for _ in range(2)]
    assert twice[0] == twice[1]
    for draft in twice[0]:
        for move in draft.moves:
            assert case.text[move.start : move.end] == draft.text[move.at : move.at + move.end - move.start]


@pytest.mark.parametrize("name", OFFLINE)
def test_a_megabyte_is_survived(name):
    entry = CATALOGUE[name]
    text = (
        "In fiscal 2024, net sales of the Company were $47.5 billion, and costs rose by 12%. It paid 3 lenders.\n"
        * 10_000
    )
    case = strange(entry, text)
    assert all(one.refused or one.text for one in islice(load_maker(entry)(case, CONFIG, Random(1)), 1))


@pytest.mark.parametrize("name", OFFLINE)
@given(text=st.text(max_size=200))
@settings(max_examples=40, deadline=None)
def test_any_text_is_survived_and_what_is_said_to_stay_stays(name, text):
    entry = CATALOGUE[name]
    case = strange(entry, text)
    for draft in islice(load_maker(entry)(case, CONFIG, Random(3)), 2):
        for move in draft.moves:
            assert text[move.start : move.end] == draft.text[move.at : move.at + move.end - move.start]


def test_every_perturbation_with_a_language_refuses_another(everything):
    questions, chunks, _ = everything
    question = replace(questions[0], language="de")
    german = {c: replace(chunks[c], language="de") for c in question.chunk_ids}
    english = [e for e in CATALOGUE.values() if e.rules and e.speaks]
    assert english
    for entry in english:
        rows = [
            v
            for v in vary([question], only(entry.name), chunks=german, embed=letters, nli=lambda pairs: iter(()))
            if v.perturbation == entry.name
        ]
        assert {v.rejected_because for v in rows} == {"language"}, entry.name
