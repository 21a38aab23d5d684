"""Gold evidence is found again in a variant: exactly where its pieces moved, else where it can be found."""

import html
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.tasks.perturb.case import Case, Draft, Move
from rarefy.tasks.perturb.spans import project_spans
from rarefy.tasks.text.sentences import sentences

TEXT = "Sales rose. Revenue was $47.5 billion in fiscal 2024. Costs fell. It was $40.1 billion a year before."
EVIDENCE = "Revenue was $47.5 billion in fiscal 2024."


def case_of(text: str, *evidence: str, answer: str = "") -> Case:
    spans = tuple((text.index(e), text.index(e) + len(e)) for e in evidence)
    return Case("c", "document", text, answer=answer, spans=spans)


def found(variant: str, *evidence: str, text: str = TEXT, answer: str = "$47.5 billion") -> list[str]:
    return [variant[a:b] for a, b in project_spans(case_of(text, *evidence, answer=answer), Draft(variant))]


def test_evidence_follows_the_pieces_that_moved():
    moves = (Move(54, 65, 0), Move(12, 53, 12), Move(0, 11, 54))
    variant = "Costs fell. " + EVIDENCE + " Sales rose."
    case = case_of(TEXT, EVIDENCE)
    assert project_spans(case, Draft(variant, moves)) == ((12, 53),)


def test_what_was_put_in_place_of_a_word_belongs_to_the_evidence():
    variant = TEXT.replace("Revenue", "Turnover")
    moves = (Move(0, 12, 0), Move(19, len(TEXT), 20))
    case = case_of(TEXT, EVIDENCE)
    ((start, end),) = project_spans(case, Draft(variant, moves))
    assert variant[start:end] == EVIDENCE.replace("Revenue", "Turnover")


def test_evidence_that_was_torn_apart_gives_several_spans():
    case = case_of("One rose. Two fell.", "One rose. Two fell.")
    moves = (Move(0, 9, 20), Move(10, 19, 0))
    assert project_spans(case, Draft("Two fell. Elsewhere. One rose.", (Move(0, 9, 21), moves[1]))) == (
        (0, 9),
        (21, 30),
    )


def test_evidence_that_was_deleted_is_gone():
    case = case_of("One rose. Two fell. Three stayed.", "Two fell.")
    assert project_spans(case, Draft("One rose. Three stayed.", (Move(0, 10, 0), Move(20, 33, 10)))) == ()


def test_a_passage_without_evidence_has_no_spans():
    assert project_spans(case_of(TEXT), Draft(TEXT, (Move(0, len(TEXT), 0),))) == ()
    assert project_spans(Case("c", "document", ""), Draft("")) == ()


def test_without_moves_evidence_is_found_as_it_stands_nearest_to_where_it_stood():
    text = "It rose. Costs fell. It rose."
    case = Case("c", "document", text, spans=((21, 29),))
    assert project_spans(case, Draft("Now: " + text)) == ((26, 34),)


@pytest.mark.parametrize(
    "variant",
    [
        TEXT.upper(),
        TEXT.replace(" ", "\n"),
        TEXT.replace("in fiscal", "- in “fiscal"),
        json.dumps(TEXT.replace("Revenue was", "Revenue\n“was")),
        html.escape(TEXT.replace("was $", "was <b>$")),
        "<p>" + TEXT.replace("billion in", "billion&#10;in").replace("fiscal", "<i>fiscal</i>") + "</p>",
    ],
)
def test_without_moves_it_is_found_through_case_space_punctuation_and_escapes(variant):
    (piece,) = found(variant, EVIDENCE)
    assert piece.lower().startswith("revenue") and "2024" in piece and "40.1" not in piece and "osts" not in piece


def test_a_number_is_not_found_inside_another():
    assert found("In 2024 it was 112%.", "12%", text="It was 12%.", answer="12%") == []


def test_a_rewritten_sentence_is_found_if_it_holds_the_answer():
    variant = "Costs went down. In fiscal 2024 the company's revenue came to $47.5 billion. It had been $40.1 billion."
    assert found(variant, EVIDENCE) == ["In fiscal 2024 the company's revenue came to $47.5 billion."]
    assert found(variant.replace("47.5", "48.5"), EVIDENCE) == []
    assert found("The weather was fine in Cupertino, at $47.5 billion.", EVIDENCE) == []


def test_a_sentence_that_became_two_is_found_whole():
    text = (
        "Apple has 164,000 employees, most of whom work in retail stores, and is based in Cupertino. It sells phones."
    )
    variant = (
        "It sells phones. Apple has 164,000 employees. Most of them work in retail stores. It is based in Cupertino."
    )
    (piece,) = found(variant, text[: text.index(" It sells")], text=text, answer="164,000")
    assert piece.startswith("Apple has") and "retail stores" in piece


def test_rows_of_tables_are_found_one_by_one():
    text = "| Segment | 2024 |\n|---|---|\n| Europe | 101,328 |\n| Asia | 60,000 |"
    variant = "| Region | 2024 |\n|---|---|\n| Asia | 60,000 |\n| Europe (EMEA) | $101,328 |"
    assert found(variant, "| Europe | 101,328 |", text=text, answer="101,328") == ["| Europe (EMEA) | $101,328 |"]


def test_sentences_that_a_model_rewrote_are_found_where_they_hold_the_answer(shared):
    """Of 90 real rewritings, those that kept the answer verbatim, and what is found holds it and the same figures."""
    folder = shared / "reference" / "recorded-model"
    windows = json.loads((folder / "windows.json").read_text())
    chunks = {chunk["chunk_id"]: chunk["text"] for window in windows for chunk in window["chunks"]}
    kept = located = 0
    for line in (folder / "document_variants.jsonl").read_text().splitlines():
        row = json.loads(line)
        text = row.get("source") or chunks[row["chunk_id"]]
        spans = tuple(s for s in sentences(text) if row["answer"] in text[slice(*s)])[:1]
        case = Case("c", "document", text, answer=row["answer"], spans=spans)
        for kind in ("simple", "complex", "paraphrase", "back_translation", "golden_augmented"):
            pieces = [row[kind][a:b] for a, b in project_spans(case, Draft(row[kind]))]
            kept += bool(spans) and row["answer"] in row[kind]
            located += bool(pieces)
            assert len(pieces) <= 1
            assert all(row["answer"].lower() in piece.lower() or "$" in row["answer"] for piece in pieces)
    assert kept > 60 and located >= kept


PIECES = st.lists(st.text('ab .\n"&|é🙂', max_size=8), max_size=12)


@given(PIECES, st.randoms(use_true_random=False), st.data())
@settings(max_examples=300, deadline=None)
def test_what_moved_reads_as_it_did(pieces, random, data):
    """Pieces of a text in any order, some gone, with other text between: each span's pieces are what they were."""
    text = "".join(pieces)
    starts = [sum(map(len, pieces[:i])) for i in range(len(pieces))]
    order = [i for i in range(len(pieces)) if random.random() < 0.8]
    random.shuffle(order)
    variant, moves = "", []
    for i in order:
        variant += random.choice(["", "#", "##"])
        moves.append(Move(starts[i], starts[i] + len(pieces[i]), len(variant)))
        variant += pieces[i]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    case = Case("c", "document", text, spans=((start, end),) if start < end else ())
    spans = project_spans(case, Draft(variant, tuple(moves)))
    assert list(spans) == sorted(spans) and all(0 <= a < b <= len(variant) for a, b in spans)
    assert all(variant[a:b] == variant[a:b].strip() for a, b in spans)
    if moves:
        expected = sum(
            len("".join(text[max(start, m.start) : min(end, m.end)].split()))
            for m in moves
            if m.start < end and start < m.end
        )
        assert len("".join("".join(variant[a:b] for a, b in spans).replace("#", "").split())) == expected


@given(st.text(max_size=60), st.text(max_size=60), st.data())
@settings(max_examples=200, deadline=None)
def test_any_two_texts_survive(text, variant, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    case = Case("c", "document", text, spans=((start, end),))
    assert all(0 <= a < b <= len(variant) for a, b in project_spans(case, Draft(variant)))


@given(st.lists(st.text("aé1İß", min_size=1), min_size=1, max_size=8), st.data())
@settings(max_examples=100, deadline=None)
def test_what_did_not_change_is_found_as_it_stood(words, data):
    start = data.draw(st.integers(0, len(words) - 1))
    text, evidence = " ".join(words), " ".join(words[start : start + 3])
    ((first, last),) = project_spans(case_of(text, evidence), Draft(text))
    assert text[first:last] == evidence


@pytest.mark.parametrize("unit", ["Sales of the segment rose by 5%. ", "a", "| &amp;<b> | 1 |\n"])
def test_a_megabyte_takes_seconds_at_most(unit):
    text = unit * (1_000_000 // len(unit))
    evidence = "Revenue of the company was $47.5 billion. "
    case = case_of(evidence + text, evidence, answer="$47.5 billion")
    started = time.perf_counter()
    project_spans(case, Draft(text + "The company had revenue of $47.5 billion. " + text))
    project_spans(Case("c", "document", text, spans=((0, len(text)),)), Draft(text[:-1] + "?"))
    project_spans(
        Case("c", "document", text, spans=((0, 9),)), Draft(text, tuple(Move(i, i + 1, i) for i in range(0, 10**6, 4)))
    )
    assert time.perf_counter() - started < 20
