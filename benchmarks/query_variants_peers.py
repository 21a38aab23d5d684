"""One peer's rate on the questions of a file, in the interpreter of an environment that has it; see query_variants.py.

TextAttack asks for flair and bert_score (for tags and constraints that these word swaps never use) and for NLTK's stop
words as soon as it is imported; they are not to be had offline, and stand-ins take their place. Nothing that is
measured touches them.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

SECONDS = 5.0  # CPU seconds a peer is measured


def textattack() -> Callable[[str], object]:
    """RARE's character set as its paper has it: neighbouring keys and deletions in a tenth of the words."""
    for name, parts in (
        ("flair", {"device": None}),
        ("flair.data", {"Sentence": object, "Token": object, "Tokenizer": object}),
        ("flair.models", {"SequenceTagger": object}),
        ("bert_score", {}),
    ):
        module = ModuleType(name)
        vars(module).update(parts)
        sys.modules[name] = module
    sys.modules["flair"].data = sys.modules["flair.data"]  # type: ignore[attr-defined]
    sys.modules["flair"].models = sys.modules["flair.models"]  # type: ignore[attr-defined]
    import nltk.corpus

    nltk.corpus.stopwords = SimpleNamespace(words=lambda language: ["the", "a", "of"])
    from textattack.augmentation import Augmenter
    from textattack.constraints.pre_transformation import RepeatModification
    from textattack.transformations import CompositeTransformation, WordSwapQWERTY, WordSwapRandomCharacterDeletion

    swaps = CompositeTransformation([WordSwapQWERTY(), WordSwapRandomCharacterDeletion()])
    made = Augmenter(
        transformation=swaps, constraints=[RepeatModification()], pct_words_to_swap=0.1, transformations_per_example=1
    )
    return made.augment  # type: ignore[no-any-return]


def nlpaug() -> Callable[[str], object]:
    """Neighbouring keys in a tenth of the words."""
    import nlpaug.augmenter.char as characters

    return characters.KeyboardAug(aug_word_p=0.1, aug_char_max=1).augment  # type: ignore[no-any-return]


PEERS = {"textattack": textattack, "nlpaug": nlpaug}


def main() -> None:
    """Print questions changed per second of CPU."""
    change = PEERS[sys.argv[1]]()
    questions = Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()
    change(questions[0])
    began, done = time.process_time(), 0
    while time.process_time() - began < SECONDS:
        change(questions[done % len(questions)])
        done += 1
    print(done / (time.process_time() - began))


if __name__ == "__main__":
    main()
