"""Load the English pipeline that ships with rarefy, or another spaCy pipeline."""

from functools import cache
from pathlib import Path

import spacy
from spacy.language import Language
from thinc.api import NumpyOps, set_current_ops
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

SHIPPED = Path(__file__).parent / "english"


@cache
def load(name: str = "english") -> Language:
    """The pipeline of that name, read once per process; "english" is the one in this package.

    Any other name is an installed package (`en_core_web_sm`) or a folder written by `spacy.Language.to_disk`.
    Raises ValueError saying what to do when there is none, or when it lacks a parser or an entity recognizer.
    """
    # numpy's own BLAS parses 1.8 times as fast as the one spaCy brings; on one thread, so that a sentence is parsed the
    # same whatever the number of cores, and workers do not get in each other's way
    threadpool_limits(limits=1, user_api="blas")
    set_current_ops(NumpyOps(use_blis=False))
    try:
        nlp = spacy.load(SHIPPED if name == "english" else name)
    except OSError as error:
        raise ValueError(
            f"no spaCy pipeline {name!r} here: install it (python -m spacy download {name}, or pip install its wheel), "
            f'give the folder that holds it, or use "english", which ships with rarefy ({error})'
        ) from error
    missing = [need for need in ("parser", "ner") if need not in nlp.pipe_names]
    if missing:
        raise ValueError(
            f"spaCy pipeline {name!r} has no {' and no '.join(missing)} (it has {nlp.pipe_names}); "
            'use "english" or another that has them'
        )
    return nlp
