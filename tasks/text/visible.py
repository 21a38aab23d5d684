"""Characters that a reader does not see, or that turn the text around them, as something that is seen."""

import re
from typing import Any

from markupsafe import Markup

# Controls but for tab and line ends; marks that change direction or join; tags; what is no character at all
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(value: Any) -> Any:
    """Text with such characters spelled out (⟨U+202E⟩); what is markup already, or no text, as it is."""
    if isinstance(value, Markup) or not isinstance(value, str) or not _UNSEEN.search(value):
        return value
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", value)
