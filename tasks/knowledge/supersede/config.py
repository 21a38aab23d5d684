"""Which facts hold until a later document says another thing."""

from pydantic import BaseModel, Field


class SupersedeConfig(BaseModel, frozen=True, extra="forbid"):
    """Which facts a later document of the same entity can supersede; figures of a period can always be restated."""

    restated: tuple[str, ...] = Field(
        default=("table", "cover", "prose", "model"),
        description="whose figures with a period a later document restates; what deadlines and readings say is asked "
        "of their own document by name",
    )
    one_object: tuple[str, ...] = Field(
        default=(
            "is incorporated in",
            "is headquartered in",
            "is based in",
            "has principal executive offices at",
            "is listed on",
            "trades under symbol",
            "is audited by",
        ),
        description="relations that join a thing to one other at a time, whatever the period; * stands for any words",
    )
    one_subject: tuple[str, ...] = Field(
        default=("chief * officer of", "general counsel of", "chairman of the board of", "treasurer of"),
        description='likewise those that one thing at a time has to another: who is an officer; a leading "is" is '
        "left out",
    )
