"""PDFs made by hand, so that tests know where every word stands."""

import hashlib
from collections.abc import Callable
from itertools import cycle

import pytest

PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i, k in zip(range(256), cycle(key), strict=False):
        j = (j + state[i] + k) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    out = bytearray()
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def make_pdf(pages: list[list[tuple]], password: str = "", picture: bool = False) -> bytes:
    """A PDF of letter size pages: ("text", x, y, size, bold, words) from the top, ("line", x0, y0, x1, y1)."""
    font = b"<</Type/Font/Subtype/Type1/Encoding/WinAnsiEncoding/BaseFont/Helvetica%s>>"
    image = b"<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>"
    objects: list[bytes] = [b"", b"", font % b"", font % b"-Bold", image + b"stream\n\x00\nendstream"]
    owner = hashlib.md5((password.encode() + PAD)[:32]).digest()[:5]
    o = rc4(owner, (password.encode() + PAD)[:32])
    key = hashlib.md5((password.encode() + PAD)[:32] + o + (-4 & 0xFFFFFFFF).to_bytes(4, "little") + b"id").digest()[:5]
    kids = []
    for page in pages:
        drawn = []
        for thing in page:
            if thing[0] == "line":
                drawn.append(f"{thing[1]} {792 - thing[2]} m {thing[3]} {792 - thing[4]} l S")
            else:
                _, x, y, size, bold, words = thing
                safe = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
                drawn.append(f"BT /F{2 if bold else 1} {size} Tf {x} {792 - y} Td ({safe}) Tj ET")
        if picture:
            drawn.append("q 500 0 0 700 50 50 cm /I Do Q")
        stream = "\n".join(drawn).encode("cp1252")
        number = len(objects) + 1
        if password:
            stream = rc4(hashlib.md5(key + number.to_bytes(3, "little") + b"\x00\x00").digest()[:10], stream)
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
        means = b"/Resources<</Font<</F1 3 0 R/F2 4 0 R>>/XObject<</I 5 0 R>>>>"
        objects.append(b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R%s>>" % (number, means))
        kids.append(b"%d 0 R" % len(objects))
    objects[0] = b"<</Type/Catalog/Pages 2 0 R>>"
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(kids))
    trailer = b"/Root 1 0 R"
    if password:
        u = rc4(key, PAD)
        objects.append(b"<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P -4>>" % (o.hex().encode(), u.hex().encode()))
        trailer += b"/Encrypt %d 0 R/ID[<%s><%s>]" % (len(objects), b"id".hex().encode(), b"id".hex().encode())
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer<</Size %d%s>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, table)
    return bytes(out)


@pytest.fixture
def pdf() -> Callable[..., bytes]:
    return make_pdf
