"""Every layout of questions becomes the same rows, and what is wrong in a file is named with its place."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rarefy.tasks.perturb.layouts import (
    FOLDERS,
    RECORDS,
    QuestionRecord,
    Skipped,
    detect_layout,
    files,
    make_questions,
    read,
    rows,
)

CONTEXT = "Oslo is the capital of Norway. It lies on a fjord. It had 717,710 inhabitants in 2024."
OTHER = "Bergen lies on the west coast."


def lines(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def table(path: Path, *records: dict) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(records)), path)
    return path


def asked(path: Path, layout: str = "") -> QuestionRecord:
    (one,) = read(path, layout)
    assert isinstance(one, QuestionRecord), one
    return one


QUESTION = "What is the capital of Norway?"
SAMPLES = {
    "plain": {"id": "q", "question": QUESTION, "answer": "Oslo", "contexts": [CONTEXT, OTHER]},
    "squad": {
        "id": "q",
        "title": "Norway",
        "question": QUESTION,
        "context": CONTEXT,
        "answers": {"text": ["Oslo", "Oslo"], "answer_start": [0, 0]},
    },
    "hotpot": {
        "_id": "q",
        "question": QUESTION,
        "answer": "Oslo",
        "supporting_facts": [["Oslo", 0]],
        "context": [["Oslo", ["Oslo is the capital of Norway.", " It lies on a fjord."]], ["Bergen", [OTHER]]],
    },
    "dpr": {
        "question": QUESTION,
        "answers": ["Oslo"],
        "positive_ctxs": [{"title": "Oslo", "text": CONTEXT, "score": 3}],
        "negative_ctxs": [],
        "hard_negative_ctxs": [{"title": "Bergen", "text": OTHER}],
    },
    "musique": {
        "id": "q",
        "question": QUESTION,
        "answer": "Oslo",
        "answer_aliases": ["Christiania"],
        "answerable": True,
        "paragraphs": [
            {"idx": 0, "title": "Oslo", "paragraph_text": CONTEXT, "is_supporting": True},
            {"idx": 1, "title": "Bergen", "paragraph_text": OTHER, "is_supporting": False},
        ],
    },
    "ms_marco": {
        "query_id": 7,
        "query": QUESTION,
        "answers": ["Oslo"],
        "passages": {"is_selected": [0, 1], "passage_text": [OTHER, CONTEXT], "url": ["b", "a"]},
    },
    "ragas": {
        "user_input": QUESTION,
        "reference": "Oslo",
        "reference_contexts": [CONTEXT],
        "retrieved_contexts": [OTHER],
    },
    "yourbench": {
        "document_id": "d",
        "question": QUESTION,
        "ground_truth_answer": "Oslo",
        "chunks": [CONTEXT],
        "citations": ["Oslo is the capital of Norway."],
    },
    "multihop_rag": {
        "query": QUESTION,
        "answer": "Oslo",
        "question_type": "inference_query",
        "evidence_list": [{"title": "Oslo", "source": "The Verge", "url": "https://a", "fact": CONTEXT}],
    },
    "financebench": {
        "financebench_id": "financebench_id_03029",
        "company": "Norway",
        "doc_name": "NORWAY_2018_10K",
        "question": QUESTION,
        "answer": "Oslo",
        "justification": "The page says so.",
        "evidence": [
            {
                "evidence_text": "Oslo is the capital of Norway.",
                "doc_name": "NORWAY_2018_10K",
                "evidence_page_num": 59,
                "evidence_text_full_page": CONTEXT,
            }
        ],
    },
}  # fmt: skip


@pytest.mark.parametrize("layout", RECORDS)
def test_a_record_is_told_by_its_fields_and_read(layout, tmp_path):
    assert detect_layout([SAMPLES[layout]]) == layout
    one = asked(lines(tmp_path / "a.jsonl", SAMPLES[layout]))
    assert (one.text, one.answers[0], one.place) == (QUESTION, "Oslo", "line 1")
    ((question, chunks),) = make_questions([one])
    (gold,) = question.chunk_ids
    assert chunks[gold].text.startswith("Oslo is the capital")
    assert question.evidence[0] == "Oslo is the capital of Norway."
    (span,) = [s for s in question.evidence_spans if s.start == 0]
    assert chunks[gold].text[span.start : span.end] == question.evidence[0]


@pytest.mark.parametrize("layout", RECORDS)
def test_parquet_json_and_jsonl_give_the_same_question(layout, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([SAMPLES[layout]]))
    table(tmp_path / "a.parquet", SAMPLES[layout]) if layout != "hotpot" else None  # its pairs have two types
    found = [asked(path) for path in sorted(tmp_path.iterdir())]
    first = asked(lines(tmp_path / "a.jsonl", SAMPLES[layout]))
    for one in found:
        assert (one.text, one.answers, one.passages) == (first.text, first.answers, first.passages)


def test_squads_own_json_is_read_and_what_it_cannot_answer_is_counted(tmp_path):
    article = {
        "title": "Norway",
        "paragraphs": [
            {
                "context": CONTEXT,
                "qas": [
                    {"id": "1", "question": QUESTION, "answers": [{"text": "Oslo", "answer_start": 0}]},
                    {"id": "2", "question": "Who?", "answers": [], "is_impossible": True, "plausible_answers": []},
                ],
            }
        ],
    }
    (tmp_path / "dev.json").write_text(json.dumps({"version": "v2.0", "data": [article]}))
    one, other = read(tmp_path / "dev.json")
    assert isinstance(one, QuestionRecord) and one.passages[0].title == "Norway" and one.passages[0].gold
    assert isinstance(other, Skipped) and other.reason == "unanswerable" and "question 2" in other.place


def test_where_squad_says_that_the_answer_begins_is_its_evidence():
    text = "In 2024 sales rose. They had been 5 in 2023 and were 7 in 2024."
    record = {"question": "When?", "context": text, "title": "", "answers": {"text": ["2024"], "answer_start": [58]}}
    ((question,), _) = rows([record])
    assert question.evidence == ("They had been 5 in 2023 and were 7 in 2024.",)


def test_beir_gives_what_the_qrels_call_relevant(tmp_path):
    lines(
        tmp_path / "corpus.jsonl",
        {"_id": "a", "title": "Oslo", "text": CONTEXT},
        {"_id": "b", "title": "", "text": OTHER},
    )
    lines(tmp_path / "queries.jsonl", {"_id": "q", "text": QUESTION}, {"_id": "r", "text": "Judged by nobody?"})
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t0\n")
    one, other = read(tmp_path)
    assert isinstance(one, QuestionRecord) and [p.title for p in one.passages] == ["Oslo"] and one.answers == ()
    assert isinstance(other, Skipped) and other.reason == "not_judged"
    ((question, _),) = make_questions([one])
    assert question.chunk_ids == (), "without an answer nothing shows that a change kept it"


def test_autorag_gives_the_passages_of_its_ground_truth(tmp_path):
    table(tmp_path / "corpus.parquet", {"doc_id": "a", "contents": CONTEXT}, {"doc_id": "b", "contents": OTHER})
    row = {"qid": "q", "query": QUESTION, "retrieval_gt": [["a"]], "generation_gt": ["Oslo", "Christiania"]}
    table(tmp_path / "qa.parquet", row)
    one = asked(tmp_path)
    assert (one.question_id, one.answers, [p.text for p in one.passages]) == ("q", ("Oslo", "Christiania"), [CONTEXT])


def test_the_files_of_rares_authors_are_read_with_their_source_sentences(tmp_path):
    chunk = {"chunk_id": "c", "text": CONTEXT, "metadata": {"file_name": "norway.pdf"}}
    (tmp_path / "chunks.json").write_text(json.dumps([chunk]))
    record = {
        "question": QUESTION,
        "answer": "Oslo",
        "answer_chunk_ids": ["c"],
        "source_sentences": ["It lies on a fjord."],
    }
    lost = {"question": "Which?", "answer": "none", "answer_chunk_ids": ["d"], "source_sentences": []}
    (tmp_path / "single.json").write_text(json.dumps([record, lost]))
    one, other = read(tmp_path)
    assert isinstance(one, QuestionRecord) and one.passages[0].evidence == ("It lies on a fjord.",)
    assert isinstance(other, Skipped) and other.reason == "no_chunk" and "'d'" in other.detail


def test_a_benchmark_of_our_own_is_read_without_what_it_rejected(tmp_path):
    lines(tmp_path / "chunks.jsonl", {"chunk_id": "c", "doc_id": "d", "title": "Norway", "text": CONTEXT})
    question = {
        "question_id": "q",
        "text": QUESTION,
        "question": QUESTION,
        "answer": "Oslo",
        "aliases": [],
        "chunk_ids": ["c"],
    }
    lines(
        tmp_path / "questions.jsonl", {**question, "rejected_because": ""}, {**question, "rejected_because": "unclear"}
    )
    one, other = read(tmp_path)
    assert isinstance(one, QuestionRecord) and one.passages[0].gold
    assert isinstance(other, Skipped) and other.reason == "rejected"


def test_what_hugging_face_saved_is_read_without_it(tmp_path):
    datasets = pytest.importorskip("datasets")
    datasets.DatasetDict({"train": datasets.Dataset.from_list([SAMPLES["squad"]])}).save_to_disk(tmp_path / "saved")
    assert asked(tmp_path / "saved").answers == ("Oslo",)


def test_a_table_of_cells_may_hold_lists(tmp_path):
    with (tmp_path / "a.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "answer", "contexts", "language"])
        writer.writerow([QUESTION, "['Oslo', 'Christiania']", json.dumps([CONTEXT, OTHER]), "English"])
    one = asked(tmp_path / "a.csv")
    assert one.answers == ("Oslo", "Christiania") and len(one.passages) == 2 and one.language == "English"


def test_marks_of_windows_are_no_part_of_a_file(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + json.dumps(SAMPLES["plain"]).encode() + b"\r\n\r\n")
    assert asked(tmp_path / "a.jsonl").question_id == "q"


@pytest.mark.parametrize(
    ("answer", "read_as"),
    [
        (5, ("5",)),
        (True, ("yes",)),
        (["a", "b", "a"], ("a", "b")),
        ({"value": "x", "aliases": ["y"]}, ("x", "y")),
        (None, ()),
        ([], ()),
        ([None, "a"], ("a",)),
    ],
)
def test_answers_come_as_they_may(answer, read_as):
    ((question,), _) = rows([{"question": QUESTION, "answer": answer, "contexts": [CONTEXT]}])
    assert (question.answer, *question.aliases) == (read_as or ("",))


def test_a_number_is_the_answer_that_was_written(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"question": "How much?", "answer": 5.10, "contexts": ["It costs 5.10 euros."]}')
    assert asked(tmp_path / "a.jsonl").answers == ("5.10",)


@pytest.mark.parametrize(
    "contexts",
    [
        [{"text": CONTEXT, "title": "Oslo"}, None, {"text": ""}],
        CONTEXT,
        json.dumps([CONTEXT]),
        {"text": [CONTEXT], "title": ["Oslo"]},
        [["Oslo", ["Oslo is the capital of Norway. It lies on a fjord. ", "It had 717,710 inhabitants in 2024."]]],
    ],
)
def test_contexts_come_as_they_may(contexts):
    (_, chunks) = rows([{"question": QUESTION, "answer": "Oslo", "contexts": contexts}])
    assert [chunk.text for chunk in chunks.values()] == [CONTEXT]


def test_what_holds_the_answer_is_gold_unless_the_file_says_what_is():
    record = {"question": QUESTION, "answer": "Oslo", "contexts": [OTHER, CONTEXT]}
    (question,), chunks = rows([record])
    assert [chunks[name].text for name in question.chunk_ids] == [CONTEXT]
    for mark in ([0], [True, False], [1, 0], OTHER):
        (question,), chunks = rows([{**record, "gold": mark}])
        assert [chunks[name].text for name in question.chunk_ids] == [OTHER], mark


def test_a_verdict_is_in_no_passage_and_the_only_one_is_meant():
    (question,), _ = rows([{"question": "Is Oslo a capital?", "answer": True, "passage": CONTEXT}])
    assert len(question.chunk_ids) == 1 and question.evidence == ()
    (question,), _ = rows([{"question": "Is Oslo a capital?", "answer": "yes", "contexts": [CONTEXT, OTHER]}])
    assert question.chunk_ids == ()


def test_documents_are_known_by_title_and_texts_by_what_they_say():
    titled = {
        "question": "A?",
        "answer": "Oslo",
        "contexts": [{"text": CONTEXT, "title": "T"}, {"text": OTHER, "title": "T"}],
    }
    first, second = (dict(titled, id=name, question=name) for name in "ab")
    questions, chunks = rows([first, second, {"id": "c", "question": "c", "answer": "x", "contexts": [OTHER]}])
    assert questions[0].chunk_ids == questions[1].chunk_ids
    assert sorted((chunk.doc_id, chunk.start) for chunk in chunks.values()) == [
        ("T", 0),
        ("T", len(CONTEXT) + 1),
        ("c", 0),
    ]


def test_a_language_is_what_the_record_says_then_what_the_caller_says_then_a_guess():
    record = {
        "question": "Wie heißt die Hauptstadt von Norwegen?",
        "answer": "Oslo",
        "contexts": ["Oslo ist die Hauptstadt."],
    }
    for told, language, found in (({"language": "French"}, "", "fr"), ({}, "nl", "nl"), ({}, "", "de")):
        (question,), chunks = rows([{**record, **told}], language)
        assert {question.language, *(chunk.language for chunk in chunks.values())} == {found}


def test_rows_of_a_table_stand_as_evidence_one_by_one():
    text = "In millions\n\n| | 2024 |\n| --- | ---: |\n| Sales | $5.2 |\n| Costs | $4.1 |"
    (question,), chunks = rows([{"question": "Sales in 2024?", "answer": "$5.2", "contexts": [text]}])
    assert question.evidence == ("| Sales | $5.2 |",)
    assert chunks[question.chunk_ids[0]].kind == "table"


@pytest.mark.parametrize(
    ("line", "reason", "told"),
    [
        ("{", "not_json", "line 1"),
        ("[1]", "not_json", "a list, not an object"),
        ('{"answer": "x"}', "no_question", "its fields are answer"),
        ('{"question": "  ", "answer": "x"}', "no_question", "question"),
        ('{"question": {"a": 1}, "answer": "x"}', "wrong_field", "question: an object where a text is due"),
        ('{"question": "x", "answer": "y", "contexts": [{"tekst": "z"}]}', "wrong_field", "contexts[0]"),
        (
            '{"question": "x", "answer": "y", "contexts": ["z"], "gold": [3]}',
            "wrong_field",
            "no context 3; there are 1",
        ),
    ],
)
def test_what_is_wrong_is_named_with_line_and_field(line, reason, told, tmp_path):
    (tmp_path / "a.jsonl").write_text(line + "\n")
    (one,) = read(tmp_path / "a.jsonl")
    assert isinstance(one, Skipped) and one.reason == reason
    assert told in f"{one.place}: {one.detail}"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.json", b"{]", "a.json: not JSON"),
        ("a.docx", b"PK", "no layout ends in .docx"),
        ("a.parquet", b"PAR1", "a.parquet"),
        ("a.csv", "question\nW\xe4hrung".encode("latin-1"), "not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_at_all_is_an_error(name, content, told, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match="a\\.") as error:
        list(read(tmp_path / name))
    assert told in str(error.value)


def test_a_layout_may_be_forced_and_must_be_known(tmp_path):
    path = lines(tmp_path / "a.jsonl", SAMPLES["ragas"])
    assert asked(path, "plain").passages[0].text in (CONTEXT, OTHER)
    with pytest.raises(ValueError, match="no layout 'nonsense'; have squad"):
        list(read(path, "nonsense"))
    for layout in FOLDERS:
        with pytest.raises(ValueError, match=f"layout {layout} has "):
            list(read(path, layout))


def test_a_million_characters_take_a_moment():
    text = "The sales of the company rose by 5 % in 2023. " * 22_000 + "Oslo is the capital."
    (question,), _ = rows([{"question": QUESTION, "answer": "Oslo", "contexts": [text]}])
    assert len(question.chunk_ids) == 1


def test_paragraphs_of_an_article_stand_as_it_has_them_whatever_their_questions_are_called(tmp_path):
    texts = [f"Oslo is paragraph {number}." for number in range(4)]
    paragraphs = [
        {"context": text, "qas": [{"id": name, "question": "Where?", "answers": [{"text": "Oslo", "answer_start": 0}]}]}
        for text, name in zip(texts, "cadb", strict=True)
    ]
    (tmp_path / "a.json").write_text(json.dumps({"data": [{"title": "Norway", "paragraphs": paragraphs}]}))
    chunks = [chunk for _, own in make_questions(reversed(list(read(tmp_path / "a.json")))) for chunk in own.values()]
    assert [chunk.text for chunk in sorted(chunks, key=lambda chunk: chunk.start)] == texts


def test_a_layout_of_several_files_is_all_of_them_though_one_is_named(tmp_path):
    (tmp_path / "qrels").mkdir()
    for name in ("queries.jsonl", "corpus.jsonl", "qrels/test.tsv", "notes.txt"):
        (tmp_path / name).write_text("")
    names = ["corpus.jsonl", "qrels/test.tsv", "queries.jsonl"]
    for path in (tmp_path, tmp_path / "queries.jsonl"):
        assert [str(file.relative_to(tmp_path)) for file in files(path, "beir")] == names
    assert files(tmp_path / "queries.jsonl") == [tmp_path / "queries.jsonl"]


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"id": "\ud800"}, "id: character 0"),
        ({"answer": "a\udfff"}, "answer 0: character 1"),
        ({"contexts": [{"title": "\udc00", "text": "x"}]}, "title of context 0"),
        ({"contexts": ["x"], "gold": ["\ud800"]}, "'\\ud800' is neither"),
    ],
)
def test_half_a_surrogate_pair_in_any_field_is_named_and_not_passed_on(record, told, tmp_path):
    (one,) = read(lines(tmp_path / "a.jsonl", {"question": QUESTION, "answer": "x", **record}))
    assert isinstance(one, Skipped) and told in one.detail
    f"{one.place} {one.detail}".encode()
    with pytest.raises(ValueError, match="record 1"):
        rows([{"question": QUESTION, "answer": "x", **record}])


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_what_stands_between_cells_is_told_by_the_header(mark, tmp_path):
    header, row = mark.join(("question", "answer", "contexts")), mark.join((QUESTION, "Oslo", "Oslo is the capital."))
    (tmp_path / "a.csv").write_text(f"{header}\n{row}\n")
    one = asked(tmp_path / "a.csv")
    assert (one.text, one.answers, one.passages[0].text) == (QUESTION, ("Oslo",), "Oslo is the capital.")


def test_a_row_of_too_few_cells_is_skipped(tmp_path):
    (tmp_path / "a.csv").write_text(f"question,answer,contexts\n{QUESTION},Oslo\n{QUESTION},Oslo,\n")
    short, whole = read(tmp_path / "a.csv")
    assert isinstance(short, Skipped) and (short.place, short.reason) == ("line 2", "too_few_cells")
    assert "none for contexts" in short.detail and isinstance(whole, QuestionRecord)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv"])
def test_utf_16_is_named(name, encoding, tmp_path):
    text = "question,answer\nWho?,Oslo\n" if name == "a.csv" else json.dumps(SAMPLES["plain"])
    (tmp_path / name).write_bytes(text.encode(encoding))
    with pytest.raises(ValueError, match="is UTF-16; save the file as UTF-8"):
        list(read(tmp_path / name))


@pytest.mark.parametrize(
    ("question", "passages", "language"),
    [
        ("Wo steht der Fernsehturm?", ["german", "english", "english"], "de"),
        ("Was kostet Aspirin?", ["german"], "de"),
        ("Was Aspirin sold?", ["english"], "en"),
        ("Where is De Haas?", ["english"], "en"),
        ("Où est le Louvre ?", ["english"], "fr"),
    ],
)
def test_contexts_vote_on_the_language_of_a_question(question, passages, language):
    texts = {
        "german": "Berlin ist die Hauptstadt der Bundesrepublik Deutschland. Er steht am Alexanderplatz.",
        "english": "The Louvre is a national art museum in Paris. It is located on the Right Bank of the Seine.",
    }
    (found,), _ = rows([{"question": question, "answer": "x", "contexts": [texts[name] for name in passages]}])
    assert found.language == language
