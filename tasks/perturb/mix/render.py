"""A context as texts, for whatever system is put to the test (Magic Mushroom B.2)."""

from collections.abc import Mapping

from rarefy.data_contracts.contexts import Context
from rarefy.data_contracts.rows import Chunk, Variant
from rarefy.tasks.perturb.mix.pools import shown


def texts(
    context: Context,
    variants: Mapping[str, Variant],
    chunks: Mapping[str, Chunk] | None = None,
    *,
    titles: bool = True,
) -> list[str]:
    """The passages of a context as they are shown, from top to bottom, each under the title of its document.

    KeyError names a passage that is not among the variants. A context without passages is an empty list.
    """
    missing = [name for name in context.variant_ids if name not in variants]
    if missing:
        raise KeyError(
            f"context {context.context_id}: no variant {missing[0]}; are these the variants it was mixed of?"
        )
    return [shown(variants[name], chunks or {}, titles) for name in context.variant_ids]
