"""What whoever works elsewhere is asked first: does it see the store that the others see?"""

from rarefy.tasks.store.tables import Store


def word(url: str, name: str) -> str:
    """What this file of the store says; "" where there is none to be seen."""
    try:
        return Store(url).read(name).decode()
    except FileNotFoundError:
        return ""
