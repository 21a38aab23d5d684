"""Read mails (.eml, .mbox): their texts as documents, and the files attached to them as documents of their own."""

import email
import email.policy
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from email.message import EmailMessage
from pathlib import PurePosixPath
from typing import BinaryIO

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.tasks.corpus.read.compose import split_pieces
from rarefy.tasks.corpus.read.decode import decode
from rarefy.tasks.corpus.read.members import read_member
from rarefy.tasks.corpus.read.metadata import build_document, fill_fields
from rarefy.tasks.corpus.read.sources import UNKNOWN, Source, find_media_type, load, open_file
from rarefy.tasks.corpus.read.text import read_text, split_enclosed
from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable, check_length

MAIL = "message/rfc822"
KEPT = ("from", "to", "cc", "message-id", "in-reply-to")
RICH = ("text/html", "multipart/related", "multipart/mixed")  # forms of a mail beside the plain one
SHORT = 0.2  # of the other form: a plain form that says no more is a stub ("your program shows no HTML")
ENDINGS = {MAIL: ".eml", "text/html": ".html", "text/plain": ".txt", "application/pdf": ".pdf", "text/markdown": ".md"}
ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_POLICY = email.policy.default.clone(max_line_length=None)
MOST_PARTS = 1_000  # of one mail
_QUOTE = re.compile(r"[ \t]?((?:>[ \t]?)+)")
_FROM = re.compile(rb"\A>(?=>*From )")  # so that no line of a mail is taken for the beginning of the next
_ID = re.compile(rb"^Message-ID:\s*<?([^<>\s]{1,200})", re.I | re.M)
_HEADER = re.compile(r"\s*(?:From |[!-9;-~]+:)")  # how a mail begins: the name of a header, a colon


def read_mail(
    source: Source,
    max_bytes: int,
    max_characters: int,
    max_depth: int,
    unpacked: UnpackedSize,
    read: Callable[[Source], Iterator[Document | Quarantined]],
) -> Iterator[Document | Quarantined]:
    """The document that a mail's text is, and those of its attachments: `mail.eml#attachment.pdf`."""
    content = load(source, max_bytes)
    if not _HEADER.match(content[:1000].removeprefix(b"\xef\xbb\xbf").decode("latin-1")):
        content = decode(content)[0].encode()  # saved in UTF-16 by some programs
        if not _HEADER.match(content[:1000].decode("utf-8", "replace")):
            raise Unreadable("not_mail", "it does not begin with the headers of a mail; rename it to what it is")
    message = email.message_from_bytes(content.removeprefix(b"\xef\xbb\xbf"), policy=_POLICY)
    del content
    bodies, attached = _sort_parts(message)
    texts = [text for text in map(_text_of, bodies) if text[1].strip()]
    if message.get_content_type() in ENCRYPTED and not texts:
        raise Unreadable("encrypted", "the mail is encrypted; save it as your mail program shows it or remove it")
    if not (texts or attached) and message.get_content_maintype() == "multipart":
        raise Unreadable("bad_mail", "its parts cannot be told apart, or there are none; export it anew or remove it")
    named = [(name, part) for name, part in _name_parts(attached) if find_media_type(name) != UNKNOWN]
    unread = len(attached) - len(named)
    for _, text in texts:
        check_length(text, max_characters)
    if texts or not named:
        yield _describe(_read_body(texts, source.path), message, source.path, unread)
    for name, part in named:
        yield from read_member(source, name, _bytes_of(part), max_depth, unpacked, read)


def read_mailbox(
    source: Source,
    max_bytes: int,
    max_depth: int,
    unpacked: UnpackedSize,
    read: Callable[[Source], Iterator[Document | Quarantined]],
) -> Iterator[Document | Quarantined]:
    """The documents of every mail in a file of many (.mbox), each named by its own id: `box.mbox#<id>.eml`."""
    load(replace(source, size=0), max_bytes) if not source.size else None
    used: set[str] = set()
    try:
        with open_file(source.location) as stream:
            for number, content in enumerate(_split_mails(stream, max_bytes), 1):
                found = _ID.search(content[: content.find(b"\n\n") + 1])
                name = found[1].decode("latin-1") if found else str(number)
                name = f"{number}-{name}" if name in used else name
                used.add(name)
                yield from read_member(source, f"{name}.eml", content, max_depth, unpacked, read)
    except OSError as error:
        raise Unreadable("unreadable_file", f"{error.strerror}; grant read permission or remove the file") from error


def _split_mails(stream: BinaryIO, max_bytes: int) -> Iterator[bytes]:
    """The mails of a file of many; of one that is too large its beginning, which is too large still."""
    gathered: list[bytes] = []
    size, blank = 0, True
    while line := stream.readline(max_bytes + 1):
        if blank and line.startswith(b"From "):
            if gathered:
                yield b"".join(gathered)
            gathered, size = [], 0
        elif size <= max_bytes:
            gathered.append(_FROM.sub(b"", line))
            size += len(line)
        blank = not line.strip()
    if gathered:
        yield b"".join(gathered)


def _sort_parts(message: EmailMessage) -> tuple[list[EmailMessage], list[EmailMessage]]:
    """The parts that are the mail's text, in order, and those that are attached to it."""
    bodies: list[EmailMessage] = []
    attached: list[EmailMessage] = []
    left = [message]
    seen = 0
    while left:
        part = left.pop(0)
        seen += 1
        if seen > MOST_PARTS:
            raise Unreadable("too_many_parts", f"more than {MOST_PARTS:,} parts in one mail; split it or remove it")
        kind, parts = part.get_content_type(), _parts_of(part)
        if kind == "multipart/alternative" and parts:
            # the same in several forms: the plain one, unless it is empty or says to look at the other
            left.insert(0, _choose(parts))
        elif part.get_content_maintype() == "multipart":
            left[:0] = parts
        elif part.is_attachment() or kind not in ("text/plain", "text/html"):
            attached.append(part)
        else:
            bodies.append(part)
    return bodies, attached


def _parts_of(part: EmailMessage) -> list[EmailMessage]:
    payload = part.get_payload()
    if part.get_content_maintype() != "multipart" or not isinstance(payload, list):
        return []
    return [inner for inner in payload if isinstance(inner, EmailMessage)]


def _choose(parts: list[EmailMessage]) -> EmailMessage:
    plain = next((part for part in parts if part.get_content_type() == "text/plain"), None)
    # the last one is the richest, which may hold pictures beside its page
    rich = next((part for part in reversed(parts) if part.get_content_type() in RICH), None)
    if plain is None or rich is None:
        return plain or rich or parts[0]
    page = next((part for part in rich.walk() if part.get_content_type() == "text/html"), None)
    shown = ""
    if page is not None:
        parted = split_enclosed(_decoded(page), re.compile("<style|<head", re.I), re.compile("</(?:style|head)", re.I))
        shown = re.sub(r"<[^<>]*>|\s+", "", "".join(text for text, aside in parted if not aside))
    return rich if len("".join(_decoded(plain).split())) < SHORT * len(shown) else plain


def _bytes_of(part: EmailMessage) -> bytes:
    """The bytes of a part as it was before it was packed into the mail."""
    if part.get_content_type() == MAIL:
        inner = part.get_payload()
        whole = inner[0] if isinstance(inner, list) and inner else inner
        return whole.as_bytes() if isinstance(whole, EmailMessage) else str(whole or "").encode("utf-8", "replace")
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _decoded(part: EmailMessage) -> str:
    """The text of a part, in the encoding that it names, or in the one that its bytes show."""
    content = _bytes_of(part)
    charset = (part.get_content_charset() or "").lower()
    if charset not in ("", "utf-8", "us-ascii", "ascii", "iso-8859-1"):  # what names these often is something else
        try:
            return content.decode(charset)
        except (LookupError, UnicodeError):
            pass
    return decode(content)[0] if content else ""


def _text_of(part: EmailMessage) -> tuple[str, str]:
    """Kind and text of a part; plain text with its soft line breaks and quotation marks undone."""
    kind, text = part.get_content_type(), _decoded(part)
    if kind == "text/html":
        return kind, text
    if part.get_param("format", "") == "flowed":  # a space at the end of a line: the paragraph goes on
        text = re.sub(r"(?m)^ (?=[ >]|From )", "", re.sub(r"(?<!\n--) \r?\n(?!>|\r?\n)", " ", text))
    return kind, unquote_lines(text)


def unquote_lines(text: str) -> str:
    """The text without the marks of quotation before its lines; where the quotation changes, a paragraph ends."""
    lines: list[str] = []
    before = 0
    for line in text.splitlines():
        mark = _QUOTE.match(line)
        depth = mark.group(1).count(">") if mark else 0
        plain = line[mark.end() :] if mark else line
        if depth != before and lines and lines[-1].strip() and plain.strip():
            lines.append("")
        lines.append(plain)
        before = depth
    return "\n".join(lines)


def _read_body(texts: list[tuple[str, str]], path: str) -> Document:
    """The document of the mail's text: of its plain parts, or of its pages."""
    pages = [text for kind, text in texts if kind == "text/html"]
    plain = "\n\n".join(text for kind, text in texts if kind != "text/html")
    if pages and not plain.strip():
        from rarefy.tasks.corpus.read.html import read_html  # late: lxml is not needed for plain mails

        # some have no element of a page: "You confirm by clicking <a href=...>here</a>"
        return read_html("\n".join(f"<div>{page}</div>" for page in pages), path)
    document = read_text(plain, path)
    # a line that stands alone in a mail is a name under it, not a title
    pieces = (replace(piece, kind="text") if piece.kind == "heading" else piece for piece in split_pieces(document))
    return build_document(path, document.title, MAIL, pieces, document.dropped)


def _describe(document: Document, message: EmailMessage, path: str, unread: int) -> Document:
    """The document with what the mail's headers say of it."""
    headers = {name: header for name in (*KEPT, "subject") if (header := _header(message, name))}
    title = headers.pop("subject", "") or PurePosixPath(path.rsplit("#", 1)[-1]).stem
    about: dict[str, str] = {**headers, "date": _date(message)}
    if unread:
        about["attachments_unread"] = str(unread)
    described = replace(document, doc_id=path, source=path, title=title, media_type=MAIL)
    return fill_fields(described, {name: value for name, value in about.items() if value})


def _header(message: EmailMessage, name: str) -> str:
    """A header's text; "" for one that none can make sense of."""
    try:
        return " ".join(str(message.get(name) or "").split())
    except Exception:  # the standard library's parser of headers raises whatever a broken one leads it to
        raw = next((value for key, value in message.raw_items() if key.lower() == name), "")
        return " ".join(str(raw).split())


def _date(message: EmailMessage) -> str:
    """The day on which it was sent, as its sender's clock had it; what the header says where that is no date."""
    written = _header(message, "date")
    try:
        sent = getattr(message["date"], "datetime", None)
    except Exception:  # as above
        sent = None
    return sent.date().isoformat() if isinstance(sent, datetime) else written


def _name_parts(parts: list[EmailMessage]) -> Iterator[tuple[str, EmailMessage]]:
    """Each attachment with a name of its own: that which it has, or its number and kind."""
    used: set[str] = set()
    for number, part in enumerate(parts, 1):
        ending = ENDINGS.get(part.get_content_type(), "")
        try:
            name = PurePosixPath(str(part.get_filename() or "").replace("\\", "/")).name
        except Exception:  # as above
            name = ""
        name = name or f"part-{number}"
        if find_media_type(name) == UNKNOWN and ending:
            name += ending
        if name in used:
            name = f"{number}-{name}"
        used.add(name)
        yield name, part
