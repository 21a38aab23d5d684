"""The forms that a model replies in where it writes or checks variants."""

import json

from pydantic import BaseModel, ConfigDict, Field


class Text(BaseModel, frozen=True):
    """One text."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    text: str


class Texts(BaseModel, frozen=True):
    """Several texts, the best first."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    texts: list[str]


class Numbered(BaseModel, frozen=True):
    """What became of one of several passages that were shown with numbers."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    number: int
    text: str


class Passages(BaseModel, frozen=True):
    """A text for each of several passages."""

    passages: list[Numbered]


class Order(BaseModel, frozen=True):
    """Sentences by number, in their order."""

    indices: list[int]


class Verdict(BaseModel, frozen=True):
    """The dual check of one passage."""

    number: int
    consistent: bool = Field(description="what it says is accurate and misleads nobody who reads the gold passage")
    answers: bool = Field(description="it gives the answer away, directly or indirectly")


class Verdicts(BaseModel, frozen=True):
    """The dual check of several passages."""

    verdicts: list[Verdict]


def schema(form: type[BaseModel]) -> str:
    """The JSON schema of a form."""
    return json.dumps(form.model_json_schema(), sort_keys=True)
