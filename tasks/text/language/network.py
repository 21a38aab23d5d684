"""Knows the shape of the shipped pipeline: one shared encoder, five small heads on it."""

from collections.abc import Sequence

import spacy
from spacy.language import Language

from rarefy.tasks.text.language.entities import LABELS


def blank(width: int = 128, depth: int = 4, rows: Sequence[int] = (5000, 1000, 2500, 1000)) -> Language:
    """An untrained pipeline; `rows` are the hash table sizes for a word's norm, prefix, suffix and shape."""
    nlp = spacy.blank("en")
    shared = {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": width,
            "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
            "rows": list(rows),
            "include_static_vectors": False,
        },
        "encode": _layers(width, depth),
    }
    listener: dict[str, object] = {"@architectures": "spacy.Tok2VecListener.v1", "width": width, "upstream": "*"}
    nlp.add_pipe("tok2vec", config={"model": shared})
    labeller = {"@architectures": "spacy.Tagger.v2", "tok2vec": listener, "nO": None}
    for name in ("tagger", "morphologizer"):
        nlp.add_pipe(name, config={"model": labeller})
    nlp.add_pipe("trainable_lemmatizer", config={"model": labeller, "min_tree_freq": 3})
    nlp.add_pipe("parser", config={"model": _transitions("parser", 128, listener), "min_action_freq": 20})
    # entities get two layers of their own: what tells a place from a person is not what tells a subject from an object
    own: dict[str, object] = {"@architectures": "spacy.Tok2Vec.v2", "embed": listener, "encode": _layers(width, 2)}
    recognizer = nlp.add_pipe("ner", config={"model": _transitions("ner", 64, own)})
    for label in sorted(set(LABELS.values())):
        recognizer.add_label(label)  # type: ignore[attr-defined]
    return nlp


def _layers(width: int, depth: int) -> dict[str, object]:
    return {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": width,
        "depth": depth,
        "window_size": 1,
        "maxout_pieces": 3,
    }


def _transitions(kind: str, hidden: int, encoder: dict[str, object]) -> dict[str, object]:
    return {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": kind,
        "extra_state_tokens": True,
        "hidden_width": hidden,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": encoder,
    }
