"""Documents that were read, but not without a doubt."""

from rarefy.data_contracts.rows import Document
from rarefy.data_contracts.tables import to_table
from rarefy.flows.engine.run import count_foreign, describe_doubts, describe_languages


def document(source, **fields):
    return Document(source, "h", source, "t", "text/html", "text", **fields)


def test_each_doubt_is_one_line_that_names_the_document():
    rows = [
        document("good.html"),
        document("cut.html", metadata={"truncated": "yes"}),
        document("bytes.txt", metadata={"bytes_repaired": "15", "encoding": "utf-8"}),
        document("copy.html", duplicate_of="good.html", duplicate_similarity=1.0),
        document("near.html", duplicate_of="good.html", duplicate_similarity=0.93),
    ]
    assert list(describe_doubts(to_table(rows, Document))) == [
        "cut.html: stops before its end; what is there was read, fetch it again for the rest",
        "bytes.txt: 15 bytes are not utf-8 and were read as cp1252",
        "copy.html: repeats good.html; nothing is asked of it twice, remove one",
        "near.html: is 93% the same as good.html; nothing is asked of it twice, remove one",
    ]


def test_documents_in_other_languages_are_counted():
    rows = [document(f"{n}", language=code) for n, code in enumerate("en fr de en-GB fr".split())]
    assert describe_languages(count_foreign(to_table(rows, Document))) == "3 documents are not in English (2 fr, 1 de)"
    assert describe_languages(count_foreign(to_table(rows[2:3], Document))) == "1 document is not in English (1 de)"
    assert describe_languages(count_foreign(to_table(rows[:1], Document))) == ""
