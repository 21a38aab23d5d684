"""Inference by a cross-encoder from Hugging Face on this machine; long texts sentence by sentence.

A pair that the encoder can read whole is scored whole. Otherwise the hypothesis is taken by its sentences and the
premise in windows of whole sentences, each with as many as fit beside that sentence:
a sentence is entailed if some window entails it, else contradicted if some window contradicts it, else neutral;
the hypothesis is contradicted if one of its sentences is, entailed if all of them are, else neutral.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from rarefy.tasks.models.embed.sentences import find_model_folder
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.nli import NLI, Label, NLIConfig
from rarefy.tasks.text.sentences import sentences

BLOCK = 512  # pairs read ahead
BATCH = 32  # of the network
STEP = 32  # tokens: lengths are filled up to a multiple, so that no pair's last bits depend on its neighbours
LABELS = ("entailment", "neutral", "contradiction")
Scores = dict[str, float]


def cross_encoder(config: NLIConfig, cache: Path, *, threads: int, means: InferenceContext) -> NLI:
    """The check by the model in `config.model`; ValueError where it is not on disk or does not say what it gives."""
    return Encoder(find_model_folder(config.model), config.labels)


@dataclass(frozen=True, slots=True)
class _Part:
    """One pair of texts that the encoder reads together, and which sentence of which hypothesis it is about."""

    pair: int
    sentence: int
    premise: str
    hypothesis: str


class Encoder:
    """Scores pairs on the GPU where there is one; the network loads when the first pair comes."""

    def __init__(self, folder: Path, labels: Sequence[str] = ()) -> None:
        from transformers import AutoConfig, AutoTokenizer  # late: seconds, and torch

        self.folder = folder
        settings = AutoConfig.from_pretrained(folder, local_files_only=True)
        self.meanings = meanings(labels or [settings.id2label[place] for place in range(settings.num_labels)])
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        positions = int(getattr(settings, "max_position_embeddings", 0) or 512)
        if settings.model_type in ("roberta", "xlm-roberta", "camembert"):
            positions -= 2  # those that begin to count after the padding
        self.longest = min(int(self._tokenizer.model_max_length), positions)
        self._network: Any = None

    def __call__(self, pairs: Iterable[tuple[str, str]], /) -> Iterator[Label]:
        """A label for each pair, in their order."""
        source = iter(pairs)
        while block := list(islice(source, BLOCK)):
            parts = [part for place, pair in enumerate(block) for part in self._parts(place, *pair)]
            scored: list[dict[int, list[Scores]]] = [{} for _ in block]
            for part, scores in zip(parts, self._scores(parts), strict=True):
                scored[part.pair].setdefault(part.sentence, []).append(scores)
            yield from (together(list(by_sentence.values())) for by_sentence in scored)

    def _parts(self, place: int, premise: str, hypothesis: str) -> Iterator[_Part]:
        if self._length(premise, hypothesis) <= self.longest:
            yield _Part(place, 0, premise, hypothesis)
            return
        for number, sentence in enumerate(self._pieces(hypothesis, self.longest // 2)):
            room = self.longest - self._length("", sentence)
            window: list[str] = []
            for piece in [*self._pieces(premise, room), ""]:
                if window and (not piece or self._length(" ".join([*window, piece]), sentence) > self.longest):
                    yield _Part(place, number, " ".join(window), sentence)
                    window = (
                        window[-1:] if piece and self._length(f"{window[-1]} {piece}", sentence) <= self.longest else []
                    )
                window.append(piece)

    def _pieces(self, text: str, most: int) -> list[str]:
        """The sentences of a text; one of more than so many tokens in pieces of that many."""
        pieces = []
        for start, end in sentences(text):
            spans = self._tokenizer(
                text[start:end], add_special_tokens=False, return_offsets_mapping=True, verbose=False
            )
            offsets = spans["offset_mapping"]
            step = max(most - 2, 1)  # a cut may cost a token on either side
            if len(offsets) <= most:
                pieces.append(text[start:end])
            else:
                cuts = [offsets[at][0] for at in range(0, len(offsets), step)] + [end - start]
                pieces += [text[start + begin : start + end_] for begin, end_ in pairwise(cuts)]
        return pieces or [text]

    def _length(self, premise: str, hypothesis: str) -> int:
        return len(self._tokenizer(premise, hypothesis, verbose=False)["input_ids"])

    def _scores(self, parts: list[_Part]) -> list[Scores]:
        import torch

        network = self._network = self._network or self._loaded()
        device = network.device
        if device.type == "cpu":
            torch.set_num_threads(1)  # for this thread: more give other last bits; parts of a job run side by side
        read = [
            self._tokenizer(part.premise, part.hypothesis, truncation=True, max_length=self.longest) for part in parts
        ]
        wide = [min(-(-len(tokens["input_ids"]) // STEP) * STEP, self.longest) for tokens in read]
        scores_of_parts: list[Scores] = [{} for _ in parts]
        for width in sorted(set(wide)):
            places = [place for place, tokens in enumerate(wide) if tokens == width]
            for at in range(0, len(places), BATCH):
                batch = places[at : at + BATCH]
                padded = self._tokenizer.pad(
                    [read[place] for place in batch], padding="max_length", max_length=width, return_tensors="pt"
                )
                with torch.inference_mode():
                    logits = network(**padded.to(device)).logits.float()
                for place, shares in zip(batch, torch.softmax(logits, -1).tolist(), strict=True):
                    for meaning, share in zip(self.meanings, shares, strict=True):
                        scores_of_parts[place][meaning] = scores_of_parts[place].get(meaning, 0.0) + share
        return scores_of_parts

    def _loaded(self) -> Any:
        import torch
        from transformers import AutoModelForSequenceClassification

        network = AutoModelForSequenceClassification.from_pretrained(self.folder, local_files_only=True)
        return network.eval().to("cuda" if torch.cuda.is_available() else "cpu")


def meanings(names: Sequence[str]) -> list[str]:
    """What each output of a network means, by its own names for them; ValueError where they do not tell.

    A network of two outputs (entailment or not) says neutral where it says no.
    """
    labels = []
    for name in names:
        plain = name.lower().replace("-", "_").replace(" ", "_")
        if "contra" in plain:
            labels.append("contradiction")
        elif plain.startswith(("not", "non", "no_")) or "neutral" in plain:
            labels.append("neutral")
        elif "entail" in plain:
            labels.append("entailment")
    if len(labels) != len(names) or "entailment" not in labels or len(set(labels)) != len(labels):
        raise ValueError(
            f"its outputs are called {', '.join(names)}, which does not say what is entailment; say so in their order, "
            'as labels = ["contradiction", "entailment", "neutral"], if its card tells'
        )
    return labels


def together(by_sentence: Sequence[Sequence[Scores]]) -> Label:
    """The label of a hypothesis of these sentences, each scored against each window of its premise."""
    labels: list[tuple[str, float]] = []
    for windows in by_sentence:
        likeliest = [max(scores, key=lambda name: (scores[name], name)) for scores in windows]
        decisive = next((name for name in ("entailment", "contradiction") if name in likeliest), "neutral")
        shares = [scores[decisive] for scores, name in zip(windows, likeliest, strict=True) if name == decisive]
        # a sentence that no window speaks to is as neutral as the window that comes nearest to it
        labels.append((decisive, min(shares) if decisive == "neutral" else max(shares)))
    for label, choose in (("contradiction", max), ("neutral", min), ("entailment", min)):
        if shares := [share for name, share in labels if name == label]:
            whole = sum(map(len, by_sentence))
            why = f"{len(shares)} of {len(labels)} sentences, {whole} readings" if whole > 1 else ""
            return Label(label, round(choose(shares), 4), why)
    raise ValueError("a hypothesis of no sentences")
