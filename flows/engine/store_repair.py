"""Work that goes on where a table of the store turns out to be damaged: it is removed, and made anew."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from rarefy.tasks.store.tables import Store, TableDamaged

Done = TypeVar("Done")
TRIES = 2  # a store that is damaged again while it is mended lies on a disk to be looked at


def with_repair(store: str, work: Callable[[], Done], tell: Callable[[TableDamaged, Sequence[str]], object]) -> Done:
    """What `work` gives; when a table turns out to be damaged, all such are removed, and what they held is remade.

    `tell` hears of the damage, and the names of the other tables that were damaged too.
    """
    for _ in range(TRIES):
        try:
            return work()
        except TableDamaged as damage:
            tell(damage, Store(store).mend())
    return work()
