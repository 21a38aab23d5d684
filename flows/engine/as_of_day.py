"""The day of --as-of: checked before a server or a run is started for it."""

from datetime import date

from rarefy.flows.faults import UsageFault


def day(text: str) -> str:
    """The day of --as-of, "" for none; UsageFault for what is no day."""
    try:
        if text and date.fromisoformat(text).isoformat() != text:
            raise ValueError
    except ValueError:
        raise UsageFault(f"--as-of {text}: not a day; write it as 2024-12-31") from None
    return text
