"""Documents that were read, but not without a doubt."""

from rarefy.data_contracts.rows import Document
from rarefy.data_contracts.tables import to_table
from rarefy.flows.engine.run import describe_doubts


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
