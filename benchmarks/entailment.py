"""What the check of meaning accepts that is not so, and what of a model's rewrites it can prove.

    python benchmarks/entailment.py --sentences xquad.en.json en_ewt-ud-test.conllu 10-K.md --answers NQ.json \\
        --recorded ../shared/reference/recorded-model

Sentences of real documents (lines of a text file, contexts of SQuAD's JSON, "# text =" of CoNLL-U) are changed so that
they say another thing; each kind of change is a row, and the last has them in another syntax besides, by our own rules.
Labels of people: answers that were judged wrong, beside the right ones (EVOUNA). Labels of a model: recorded pairs.
Intervals are Wilson's, of 95 %. Nothing here is for developing the rules on.
"""

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random

from measuring import make_parser, wilson_interval

from rarefy.tasks.models.nli import NLI, NLIConfig, equivalent
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.syntax import rewrites
from rarefy.tasks.text.syntax.pieces import join_pieces

Pair = tuple[str, str]
WORDS = (6, 45)  # of a sentence that is changed

EXCHANGES = {  # each word for the other, whichever is there
    "direction": "increased/decreased rose/fell higher/lower more/less above/below over/under up/down gains/losses "
    "grew/shrank growth/decline strong/weak largest/smallest most/least best/worst won/lost north/south east/west "
    "early/late old/new",
    "time": "before/after first/last past/future former/current earlier/later since/until",
    "quantifier": "all/some every/no many/few most/few always/never often/rarely both/neither each/no any/no "
    "several/all",
    "modality": "may/must can/should will/might could/must would/might should/may",
    "tense": "is/was are/were has/had have/had",
    "preposition": "in/outside on/under into/from with/without to/from for/against at/near by/for between/beyond",
    "connective": "because/although and/or but/because if/unless while/because only/also",
    "person": "he/she his/her him/her we/they our/their who/whose my/your I/you",
    "bound": "approximately/exactly about/exactly nearly/exactly least/most minimum/maximum only/even just/almost",
}
_NOT_AFTER = re.compile(
    r"\b(is|are|was|were|will|can|could|should|would|may|might|must|has been|have been|had been)\b", re.I
)
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w.,]*\d)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*")
_HEDGE = re.compile(
    r"\b(?:only|not|never|nearly|approximately|about|at least|at most|up to|more than|less than|almost|some of) ", re.I
)
_NOUN = re.compile(r"(?<=\bthe )[a-z]{4,}(?= )")


def make_exchange(words: str) -> Callable[[str, Random, list[str]], str]:
    """The change that puts each word of a pair for the other, in one place."""
    table = {}
    for pair in words.split():
        one, other = pair.split("/")
        table.setdefault(one, other)
        table.setdefault(other, one)
    pattern = re.compile(rf"(?<![\w'’-])(?:{'|'.join(sorted(table, key=len, reverse=True))})(?![\w'’-])", re.I)

    def change(sentence: str, random: Random, _: list[str]) -> str:
        hits = list(pattern.finditer(sentence))
        if not hits:
            return ""
        hit = random.choice(hits)
        new = table.get(hit[0], table.get(hit[0].lower(), ""))
        new = new[0].upper() + new[1:] if hit[0][0].isupper() else new
        return sentence[: hit.start()] + new + sentence[hit.end() :]

    return change


def negate(sentence: str, random: Random, _: list[str]) -> str:
    """With a "not" more."""
    return _NOT_AFTER.sub(lambda hit: f"{hit[0]} not", sentence, count=1)


def change_number(sentence: str, random: Random, _: list[str]) -> str:
    """With another number."""
    hits = list(_NUMBER.finditer(sentence))
    if not hits:
        return ""
    hit = random.choice(hits)
    at = random.choice([n for n, letter in enumerate(hit[0]) if letter.isdigit()])
    digit = str((int(hit[0][at]) + random.randint(1, 8)) % 10) if at else str(int(hit[0][at]) % 9 + 1)
    return sentence[: hit.start()] + hit[0][:at] + digit + hit[0][at + 1 :] + sentence[hit.end() :]


def swap_names(sentence: str, random: Random, _: list[str]) -> str:
    """With two of its names, or else two of its numbers, in each other's place."""
    for pattern in (_NAME, _NUMBER):
        hits = list(pattern.finditer(sentence))
        if len({hit[0] for hit in hits}) < 2:
            continue
        one, other = sorted(random.sample(hits, 2), key=lambda hit: hit.start())
        if one[0] == other[0] or sentence[one.end() : other.start()].strip(" ,") in ("and", "or", ""):
            continue
        between = sentence[one.end() : other.start()]
        return sentence[: one.start()] + other[0] + between + one[0] + sentence[other.end() :]
    return ""


def replace_name(sentence: str, random: Random, others: list[str]) -> str:
    """With a name of another sentence."""
    mine = list(_NAME.finditer(sentence))
    theirs = [name for text in random.sample(others, min(20, len(others))) for name in _NAME.findall(text)]
    theirs = [name for name in theirs if name not in sentence]
    if not mine or not theirs:
        return ""
    hit = random.choice(mine)
    return sentence[: hit.start()] + random.choice(theirs) + sentence[hit.end() :]


def replace_noun(sentence: str, random: Random, others: list[str]) -> str:
    """With the thing of another sentence in the place of one of its own."""
    mine = list(_NOUN.finditer(sentence))
    theirs = [noun for text in random.sample(others, min(20, len(others))) for noun in _NOUN.findall(text)]
    theirs = [noun for noun in theirs if noun not in sentence]
    if not mine or not theirs:
        return ""
    hit = random.choice(mine)
    return sentence[: hit.start()] + random.choice(theirs) + sentence[hit.end() :]


def remove_hedge(sentence: str, random: Random, _: list[str]) -> str:
    """Without an "only", a "not", a bound."""
    return _HEDGE.sub("", sentence, count=1)


def append_sentence(sentence: str, random: Random, others: list[str]) -> str:
    """With a sentence of elsewhere after it; only the way back is entailed."""
    return f"{sentence} {random.choice(others)}"


KINDS: dict[str, Callable[[str, Random, list[str]], str]] = {
    "negation": negate,
    "number": change_number,
    "places": swap_names,
    "name": replace_name,
    "thing": replace_noun,
    "hedge": remove_hedge,
    "more": append_sentence,
    **{name: make_exchange(words) for name, words in EXCHANGES.items()},
}


def read_sentences(file: Path) -> Iterator[str]:
    """The sentences of a file."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".conllu":
        lines = re.findall(r"^# text = (.+)$", text, re.MULTILINE)
    elif file.suffix == ".json":
        lines = [part["context"] for article in json.loads(text)["data"] for part in article["paragraphs"]]
    else:
        lines = [line for line in text.split("\n") if line and line[0] not in "|#-*<"]
    for line in lines:
        yield from (line[start:end].strip() for start, end in sentences(line))


def change_sentences(kind: str, texts: list[str], most: int, random: Random) -> list[Pair]:
    """Pairs of a sentence and the same with such a change."""
    found: list[Pair] = []
    for text in random.sample(texts, len(texts)):
        new = KINDS[kind](text, random, texts)
        if new and new != text:
            found.append((text, new))
        if len(found) == most:
            break
    return found


def change_rewritten_sentences(texts: list[str], most: int, random: Random) -> list[Pair]:
    """Pairs of a sentence and the same with a change of any kind, in another syntax that is known to say the same."""
    found: list[Pair] = []
    for text in random.sample(texts, len(texts)):
        for way in rewrites(text)[:1]:
            made = join_pieces(text, way.pieces)
            for change in random.sample(list(KINDS.values()), 4):
                new = change(made, random, texts)
                if new and new != made:
                    found.append((text, new))
        if len(found) >= most:
            break
    return found


def read_answers(file: Path) -> Iterator[tuple[Pair, bool]]:
    """(the question with its right answer, with a system's), and whether people judged the system's right."""
    for row in json.loads(file.read_text(encoding="utf-8")):
        gold = (row.get("golden_answer") or "").split("/")[0]
        if gold and not row.get("improper") and row.get("answer_fid"):
            yield (f"{row['question']}: {gold}.", f"{row['question']}: {row['answer_fid']}."), bool(row["judge_fid"])


def read_rewrites(folder: Path) -> Iterator[tuple[str, Pair]]:
    """(kind, (text, rewritten by a model so that it means the same)) of recorded replies."""
    chunks = {c["chunk_id"]: c["text"] for w in json.loads((folder / "windows.json").read_text()) for c in w["chunks"]}
    for row in map(json.loads, (folder / "document_variants.jsonl").read_text().splitlines()):
        for kind in ("simple", "complex", "paraphrase", "back_translation", "golden_augmented"):
            yield kind, (row.get("source") or chunks[row["chunk_id"]], row[kind])
    asked = {r["question_id"]: r["question"] for r in map(json.loads, (folder / "questions.jsonl").open())}
    for row in map(json.loads, (folder / "query_variants.jsonl").read_text().splitlines()):
        yield from (("question, paraphrase", (asked[row["question_id"]], text)) for text in row["paraphrase"])


def format_share(hits: int, total: int) -> str:
    """The share with Wilson's interval."""
    if not total:
        return "-"
    low, high = wilson_interval(hits, total)
    return f"{hits / total:.2%} [{low:.2%}, {high:.2%}]"


def print_pairs(name: str, pairs: list[Pair], nli: NLI, wrong: list[Pair] | None = None) -> tuple[int, int, int]:
    """Print the line of these pairs: how many are accepted one way (there or back), and both ways."""
    labels = list(nli([pair for a, b in pairs for pair in ((a, b), (b, a))]))
    there, back = labels[::2], labels[1::2]
    both = [pair for pair, *ways in zip(pairs, there, back, strict=True) if equivalent(*ways)]
    one = sum(label.label in ("kept", "entailment") for label in there)
    if wrong is not None:
        wrong += both
    print(
        f"| {name} | {len(pairs):,} | {format_share(one, len(pairs))} | {format_share(len(both), len(pairs))} |",
        flush=True,
    )
    return len(pairs), one, len(both)


def print_total(name: str, rows: Iterable[tuple[int, int, int]]) -> None:
    """Print the line of all rows together."""
    pairs, one, both = map(sum, zip(*rows, strict=True))
    print(f"| **{name}** | {pairs:,} | {format_share(one, pairs)} | {format_share(both, pairs)} |")


def main() -> None:
    """Print the tables."""
    parser = make_parser(__doc__)
    parser.add_argument("--sentences", type=Path, nargs="*", default=[])
    parser.add_argument("--answers", type=Path, nargs="*", default=[])
    parser.add_argument("--recorded", type=Path)
    parser.add_argument("--most", type=int, default=150, help="pairs of a kind and file")
    parser.add_argument("--show", type=int, default=0, help="pairs that are accepted both ways and should not be")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    wrong: list[Pair] = []
    with tempfile.TemporaryDirectory() as scratch:
        nli = NLIConfig().connect(Path(scratch))
        print("| do not entail | pairs | accepted there | accepted both ways |\n|---|---:|---|---|")
        rows = []
        texts = {
            file: [s for s in dict.fromkeys(read_sentences(file)) if WORDS[0] <= len(s.split()) <= WORDS[1]]
            for file in options.sentences
        }
        for kind in KINDS:
            pairs = [
                p for all_ in texts.values() for p in change_sentences(kind, all_, options.most, Random(options.seed))
            ]
            if pairs:
                rows.append(print_pairs(kind, pairs, nli, wrong))
        pairs = [
            p
            for all_ in texts.values()
            for p in change_rewritten_sentences(all_, 3 * options.most, Random(options.seed))
        ]
        if pairs:
            rows.append(print_pairs("any, in another syntax", pairs, nli, wrong))
        for file in options.answers:
            rows.append(
                print_pairs(
                    f"judged wrong: {file.stem}", [p for p, right in read_answers(file) if not right], nli, wrong
                )
            )
        if options.recorded:
            labelled = [json.loads(line) for line in (options.recorded / "nli.jsonl").read_text().splitlines()]
            pairs = [(r["premise"], r["hypothesis"]) for r in labelled if r["label"] != "entailment"]
            rows.append(print_pairs("labelled by a model", pairs, nli, wrong))
        if rows:
            print_total("all", rows)
        print("\n| mean the same | pairs | accepted there | accepted both ways |\n|---|---:|---|---|")
        for file in options.answers:
            print_pairs(
                f"judged right: {file.stem}", [p for p, right in read_answers(file) if right and p[0] != p[1]], nli
            )
        if options.recorded:
            of_kind: dict[str, list[Pair]] = {}
            for kind, pair in read_rewrites(options.recorded):
                of_kind.setdefault(kind, []).append(pair)
            print_total("all rewrites by a model", [print_pairs(kind, pairs, nli) for kind, pairs in of_kind.items()])
    for one, other in Random(0).sample(wrong, min(options.show, len(wrong))):
        print(f"- {one}\n  {other}")


if __name__ == "__main__":
    main()
