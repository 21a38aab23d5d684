"""The settings of feeds; none of them changes the benchmark that given documents make."""

import re
from datetime import date
from typing import Literal

from pydantic import BaseModel, Field, field_validator

CONTACT = re.compile(r"\S+\s+.*\S+@\S+\.\S+|\S+@\S+\.\S+\s+\S+")  # a name and an address to write to
ORIGIN = re.compile(r"https?://(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::\d{1,5})?")


class FolderConfig(BaseModel, frozen=True, extra="forbid"):
    """When a file in a folder or bucket counts as there."""

    settle: float = Field(
        default=10.0, ge=0, description="seconds in which size, time and content of a file must stay the same"
    )
    hold: float = Field(
        default=300.0,
        ge=0,
        description="seconds that settled files wait for others that are still being written, so that a refresh does "
        "not read half of these",
    )
    rehash: bool = Field(
        default=False,
        description="read every file at every look, not only those whose size or times changed: for network file "
        "systems whose times are not to be trusted",
    )


class EdgarConfig(BaseModel, frozen=True, extra="forbid"):
    """What is taken from the SEC, and how it is asked."""

    user_agent: str = Field(
        default="",
        description='who asks, with an address to write to, as the SEC demands: "Example Corp Jane Doe '
        'jane@example.com"; nothing is asked without',
    )
    companies: tuple[str, ...] = Field(default=(), description="whose filings: CIKs or tickers; `--cik` adds to them")
    forms: tuple[str, ...] = Field(
        default=("10-K", "10-K/A"), min_length=1, description="which forms, exactly as named"
    )
    since: str = Field(
        default="", description="only what was filed on this day or later (2020-01-31); all there is for none"
    )
    per_second: float = Field(default=4.0, gt=0, le=10, description="requests a second at most; the SEC allows 10")
    patience: float = Field(
        default=1260.0,
        ge=0,
        description="seconds that one look may wait in all where the SEC says: slower (10 minutes each)",
    )
    timeout: float = Field(default=60.0, gt=0, description="seconds without a byte after which a request is given up")
    max_bytes: int = Field(default=200_000_000, gt=0, description="of a document; larger ones are left out, and told")
    withdrawn: Literal["keep", "remove"] = Field(
        default="keep", description="what becomes of the document of a filing that the SEC lists no longer"
    )
    data_url: str = Field(default="https://data.sec.gov", description="where submissions are asked for")
    www_url: str = Field(default="https://www.sec.gov", description="where documents and tickers are asked for")

    @field_validator("user_agent")
    @classmethod
    def _says_who(cls, value: str) -> str:
        if value and not CONTACT.fullmatch(value.strip()):
            raise ValueError('the SEC wants a name and an e-mail address: "Example Corp jane@example.com"')
        if not value.isascii() or any(ord(letter) < 32 for letter in value):
            raise ValueError("letters of a header only: ASCII, one line")
        return value.strip()

    @field_validator("since")
    @classmethod
    def _is_a_day(cls, value: str) -> str:
        try:
            return date.fromisoformat(value).isoformat() if value else ""
        except ValueError:
            raise ValueError(f"{value!r} is no day; write it as 2020-01-31") from None


class OriginConfig(BaseModel, frozen=True, extra="forbid"):
    """A place that documents may be fetched from."""

    origin: str = Field(description='scheme, host and port: "https://docs.example.com", "http://10.0.0.5:8080"')
    private: bool = Field(
        default=False,
        description="its addresses may be of this machine or network; without, only public ones are connected to",
    )

    @field_validator("origin")
    @classmethod
    def _is_one(cls, value: str) -> str:
        if not ORIGIN.fullmatch(value.lower()):
            raise ValueError("scheme, host and port and nothing else: https://docs.example.com")
        scheme, _, place = value.lower().partition("://")
        default = {"https": ":443", "http": ":80"}[scheme]
        return f"{scheme}://{place.removesuffix(default)}"


class WebhookConfig(BaseModel, frozen=True, extra="forbid"):
    """From where documents are fetched when a webhook names their address, and how much of them."""

    origins: tuple[OriginConfig, ...] = Field(default=(), description="the only places that anything is fetched from")
    folder: str = Field(
        default="arrived",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9][A-Za-z0-9_-]*)*$",
        description="of the corpus, where what was fetched is put; nothing outside of it is ever written",
    )
    max_bytes: int = Field(default=50_000_000, gt=0, description="of a document, unpacked")
    seconds: float = Field(
        default=60.0, gt=0, description="for a document in all: names, connections, redirects and body"
    )
    redirects: int = Field(default=3, ge=0, le=10, description="followed, each to an origin of the list")
    tries: int = Field(default=3, ge=1, description="for a document whose server does not answer")
    window: float = Field(
        default=300.0, gt=0, description="seconds that a signature's time may lie from this machine's"
    )
    waiting: int = Field(
        default=1000, gt=0, description="documents that may wait to be fetched; more are told to come later"
    )


class FeedsConfig(BaseModel, frozen=True, extra="forbid"):
    """How documents come."""

    folder: FolderConfig = Field(
        default_factory=FolderConfig, description="`rarefy watch`: when a file counts as there"
    )
    edgar: EdgarConfig = Field(default_factory=EdgarConfig, description="`rarefy feed`: filings from the SEC")
    webhook: WebhookConfig = Field(
        default_factory=WebhookConfig, description="`rarefy hook`: documents by their address"
    )
