import email.policy
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.mail import unquote_lines

WORDS = "The pump was checked on Monday and found sound."


def mail(**headers: str) -> EmailMessage:
    message = EmailMessage(policy=email.policy.SMTP)
    for name, value in {"From": "Jane Doe <jane@acme.example>", "Subject": "Pump 7", **headers}.items():
        message[name] = value
    return message


def read(corpus: Path, *messages: EmailMessage | bytes) -> list[Document | Quarantined]:
    for number, message in enumerate(messages, 1):
        content = message if isinstance(message, bytes) else message.as_bytes()
        (corpus / f"{number}.eml").write_bytes(content)
    return list(read_corpus(corpus, ReadConfig()))


def documents(corpus: Path, *messages: EmailMessage | bytes) -> list[Document]:
    return [row for row in read(corpus, *messages) if isinstance(row, Document)]


def test_a_mail_is_a_document_and_its_headers_are_metadata(tmp_path: Path) -> None:
    message = mail(To="john@acme.example", Date="Tue, 05 Mar 2024 23:30:00 -0800", Subject="Prüfung der Pumpe")
    message.set_content(f"Hello John,\n\n{WORDS}\n\nJane\n")
    (document,) = documents(tmp_path, message)
    assert (document.title, document.as_of) == ("Prüfung der Pumpe", "2024-03-05")
    assert document.text == f"Hello John,\n\n{WORDS}\n\nJane"
    assert (
        document.metadata["from"] == "Jane Doe <jane@acme.example>" and document.metadata["to"] == "john@acme.example"
    )
    assert {block.kind for block in document.blocks} == {"text"}


def test_the_plain_form_is_read_unless_it_is_a_stub(tmp_path: Path) -> None:
    both, stub = mail(), mail()
    page = f"<html><head><style>p {{}}</style></head><body><p>{WORDS}</p><p>{WORDS}</p></body></html>"
    both.set_content(WORDS)
    both.add_alternative(page, subtype="html")
    stub.set_content("Use HTML.")
    stub.add_alternative(page, subtype="html")
    assert [row.text for row in documents(tmp_path, both, stub)] == [WORDS, f"{WORDS}\n\n{WORDS}"]


def test_attachments_that_are_read_are_documents_of_their_own(tmp_path: Path, pdf: Callable[..., bytes]) -> None:
    inner, message = mail(Subject="The one before"), mail()
    inner.set_content(f"Before that: {WORDS}")
    message.set_content(WORDS)
    message.add_attachment(f"# Report\n\n{WORDS}".encode(), maintype="text", subtype="markdown", filename="r/é.md")
    page = pdf([[("text", 72, 100, 12, False, WORDS)]])
    message.add_attachment(page, maintype="application", subtype="pdf", filename="a.pdf")
    message.add_attachment(page, maintype="application", subtype="pdf", filename="a.pdf")
    message.add_attachment(inner)
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="logo.png")
    found = {row.doc_id: row.title for row in documents(tmp_path, message)}
    assert list(found) == ["1.eml", "1.eml#é.md", "1.eml#a.pdf", "1.eml#3-a.pdf", "1.eml#part-4.eml"]
    assert found["1.eml#é.md"] == "Report" and found["1.eml#part-4.eml"] == "The one before"


def test_texts_are_decoded_whatever_they_say_of_themselves(tmp_path: Path) -> None:
    head = b"From: a@b.example\nSubject: s\nMIME-Version: 1.0\nContent-Type: text/plain; charset=%s\n\n"
    texts = [
        head % b"utf-8" + "Die Pumpe läuft über Nacht weiter.".encode("cp1252"),
        head % b"no-such" + "Die Pumpe läuft über Nacht weiter.".encode(),
        head % b"iso-8859-1" + "Die Pumpe läuft über Nacht weiter.".encode(),
        (head % b"utf-8" + "Die Pumpe läuft über Nacht weiter.".encode()).decode().encode("utf-16"),
    ]
    assert {row.text for row in documents(tmp_path, *texts)} == {"Die Pumpe läuft über Nacht weiter."}


def test_quoted_replies_stay_as_text_in_paragraphs_of_their_own() -> None:
    text = "Yes, it runs.\nJohn wrote:\n> Does it run?\n> I saw no water.\n>> It was off.\nRegards"
    assert (
        unquote_lines(text) == "Yes, it runs.\nJohn wrote:\n\nDoes it run?\nI saw no water.\n\nIt was off.\n\nRegards"
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"Just some words in a file without any header.", "not_mail"),
        (b"Subject: s\nContent-Type: application/pkcs7-mime\n\nabc", "encrypted"),
        (b"Subject: s\nContent-Type: multipart/mixed\n\nno parts are here at all", "bad_mail"),
        (b"Subject: s\n\n", "no_text"),
        (
            b"Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 2_000 + b"--b--",
            "too_many_parts",
        ),
    ],
)
def test_what_cannot_be_read_is_told_so(tmp_path: Path, content: bytes, reason: str) -> None:
    (row,) = read(tmp_path, content)
    assert isinstance(row, Quarantined) and row.reason == reason


def test_headers_that_make_no_sense_cost_nothing_else(tmp_path: Path) -> None:
    content = f'From: =?x?q?=FF?= <<<@>>\nTo: "\nDate: 32 Foo 99999\nSubject: =?utf-8?b?!!!?=\n\n{WORDS}\n'
    (document,) = documents(tmp_path, content.encode())
    assert document.text == WORDS and document.as_of == ""


def test_a_mailbox_holds_documents_named_by_their_own_ids(tmp_path: Path) -> None:
    head = "From jane@acme.example Tue Mar  5 23:30:00 2024\n"
    mails = [
        f"{head}Message-ID: <a@acme.example>\nSubject: One\n\n{WORDS}\n\n>From the pump came no sound.\n\n",
        f"{head}Subject: Two\n\n{WORDS}\n\n",
        f"{head}Message-ID: <a@acme.example>\nSubject: Three\n\nShort.\n",
    ]
    (tmp_path / "box.mbox").write_text("".join(mails))
    rows = list(read_corpus(tmp_path, ReadConfig()))
    assert [row.source for row in rows] == [
        "box.mbox#a@acme.example.eml",
        "box.mbox#2.eml",
        "box.mbox#3-a@acme.example.eml",
    ]
    first = rows[0]
    assert isinstance(first, Document) and first.text == f"{WORDS}\n\nFrom the pump came no sound."
    assert isinstance(rows[2], Quarantined) and rows[2].reason == "no_sentences"


def test_a_page_without_an_element_of_one_is_read(tmp_path: Path) -> None:
    page = mail()
    page.set_content(
        'Please confirm it by clicking <a href = "http://x.y/z">here</a>. You can ignore it.', subtype="html"
    )
    (document,) = documents(tmp_path, page)
    assert document.text == "Please confirm it by clicking here. You can ignore it."
