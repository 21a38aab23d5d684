"""Systems of known robustness get exactly the scores that follow from their definition, in every protocol.

What follows is worked out here from the passages that a trial shows, by the papers' formulas in plain loops, and where
it depends on no passage it is written down.
"""

import math
from collections import defaultdict
from statistics import fmean, pstdev

import known
import pyarrow.parquet as pq
import pytest

EXACT = 1e-12
NAMES = [one.__name__ for one in known.SYSTEMS]
KNOWING = ("right", "right_unless_typo", "forgets")  # right without passages
RARE = ("Overall Robustness", "Query Robustness", "Document Robustness", "Real-World Retrieval Robustness")
RARE_QUERIES = ("none", "character", "word", "irrelevant_detail", "grammar")


@pytest.fixture(scope="module")
def value(known_results):
    rows = pq.read_table(known_results / "figures.parquet").to_pylist()
    found = {(row["system"].removeprefix("known:"), row["protocol"], row["metric"], row["slice"]): row for row in rows}

    def of(system, protocol, metric, slice_="all"):
        key = (system, protocol, metric, slice_)
        assert key in found, sorted(name for name in found if name[:2] == key[:2])
        return found[key]["value"]

    return of


@pytest.fixture(scope="module")
def trials(known_results):
    """Every trial, with the city that is its question's answer and the texts that it shows."""
    tables = {name: pq.read_table(known_results / f"{name}.parquet") for name in ("trials", "questions", "chunks")}
    texts = dict(zip(*(tables["chunks"][name].to_pylist() for name in ("chunk_id", "text")), strict=True))
    variants = pq.read_table(known_results / "variants.parquet")
    texts |= dict(zip(*(variants[name].to_pylist() for name in ("variant_id", "text")), strict=True))
    questions = {row["question_id"]: row for row in tables["questions"].to_pylist()}
    return [
        {
            **row,
            "city": questions[row["question_id"]]["answer"],
            "hops": "single" if questions[row["question_id"]]["pattern"] == "single" else "multi",
            "texts": [texts[name] for name in row["passage_ids"]],
        }
        for row in tables["trials"].to_pylist()
        if row["given"] != "own" and not row["skipped_because"]
    ]


def verdict(system, trial):
    """What comes of a system in a trial, by its definition: right, wrong or refused."""
    city, texts = trial["city"], trial["texts"]
    shown = [city in text for text in texts]
    if system == "right":
        return "right"
    if system == "right_unless_typo":
        return "wrong" if trial["query"] in known.TYPOS else "right"
    if system == "refuses":
        return "refused"
    if system == "reads":
        return "right" if any(shown) else "refused"
    if system == "forgets":
        return "wrong" if len(texts) > 10 else "right"
    if system == "biased":
        return "right" if any(shown[:3]) else "wrong"
    assert system == "parrot"
    if not texts:
        return "refused"
    says = [name for name in (*known.CITIES, known.UNKNOWN) if name in texts[-1]]
    return "refused" if not says else "right" if says[0] == city else "wrong"


def of(trials, protocol, **told):
    return [row for row in trials if row["protocol"] == protocol and all(row[k] == v for k, v in told.items())]


# Overall, query, document and real-world robustness, where they depend on no retrieval
RARE_EXPECTED = {
    "right": (1, 1, 1, 1),
    "right_unless_typo": (4 / 5, 3 / 4, 1, 1),
    "refuses": (4 / 6, 0, 1 / 2, 1),  # the answer deleted and three retrieved, for who knows nothing
    "reads": (1, 1, 1, 1),
    "forgets": (1, 1, 1, 1),  # is never shown more than three
    "parrot": (None, 1, 1, None),
    "biased": (None, 1, 1 / 2, None),  # guesses where the answer was deleted
}


@pytest.mark.parametrize("system", NAMES)
def test_every_system_is_as_robust_by_rare_as_it_is_by_its_definition(system, trials, value):
    cells = [row for row in of(trials, "rare") if row["cell"] != "probe"]
    assert len(cells) == 30 * len(known.CITIES)

    def robust(row):
        said = verdict(system, row)
        if row["cell"] in ("gold", "lexical_different") or system in KNOWING:
            return float(said == "right")
        return float(said == "refused" if row["cell"] == "lexical_similar" else said in ("right", "refused"))

    plain = [row for row in cells if row["query"] == "none"]
    worked_out = (
        fmean(map(robust, cells)),
        fmean(robust(row) for row in cells if row["cell"] == "gold" and row["query"] != "none"),
        fmean(robust(row) for row in plain if row["cell"].startswith("lexical")),
        fmean(robust(row) for row in plain if row["cell"] == "retrieved"),
    )
    for metric, found, written in zip(RARE, worked_out, RARE_EXPECTED[system], strict=True):
        assert value(system, "rare", metric) == pytest.approx(found, abs=EXACT)
        assert written is None or found == pytest.approx(written)
    for query in RARE_QUERIES:
        some = [robust(row) for row in cells if row["query"] == query]
        assert len(some) == 6 * len(known.CITIES)
        assert value(system, "rare", "Overall Robustness", f"query={query}") == pytest.approx(fmean(some), abs=EXACT)
    refused = fmean(verdict(system, row) == "refused" for row in cells)
    assert value(system, "rare", "Overall Robustness: refusal rate") == pytest.approx(refused, abs=EXACT)
    assert value(system, "rare", "Known") == float(system in KNOWING)


@pytest.mark.parametrize("system", NAMES)
def test_every_system_is_as_robust_by_sure_as_it_is_by_its_definition(system, value):
    """None of them minds how a document that holds the answer is written, so that all are robust: RR, WR, LR."""
    rates = [value(system, "sure", metric) for metric in ("RR", "WR", "LR")]
    assert rates == [1, 0, 0]
    letter = "K" if system in KNOWING else "U"
    golden = 0.0 if system == "refuses" else 1.0
    noise = float(system in KNOWING)
    assert value(system, "sure", "base accuracy") == golden
    assert value(system, "sure", "base accuracy", f"subset={letter}-G") == golden
    assert value(system, "sure", "base accuracy", f"subset={letter}-N") == noise
    assert value(system, "sure", "RR", f"subset={letter}-N") == value(system, "sure", "RR", "subset=total") == 1
    other = "U" if letter == "K" else "K"
    assert value(system, "sure", "RR", f"subset={other}-G") is value(system, "sure", "RR", f"subset={other}-N") is None
    for perturbation in known.DOCUMENT:
        if perturbation != "back_translation":
            assert value(system, "sure", "RR", f"perturbation={perturbation}") == 1


@pytest.mark.parametrize("system", NAMES)
def test_every_system_keeps_of_retrieval_what_its_definition_has_it_keep(system, trials, value):
    f = defaultdict(dict)  # of question and retriever: by k and order
    for row in of(trials, "retrieval_robustness", cell="retrieved"):
        f[row["question_id"], row["retriever"]][row["k"], row["order"]] = float(verdict(system, row) == "right")
    closed = float(system in KNOWING)
    scores = {}
    for retriever in ("bm25", "dense"):
        ndr, rsr, ror = [], [], []
        for (_, its), cells in f.items():
            if its != retriever:
                continue
            ks, orders = sorted({k for k, _ in cells}), sorted({order for _, order in cells})
            assert (len(ks), len(orders)) == (3, 3)
            ndr += [float(one >= closed) for one in cells.values()]
            for at, k in enumerate(ks):
                rsr += [float(all(cells[k, o] >= cells[j, o] for j in ks[:at])) for o in orders if at]
                ror.append(1 - 2 * pstdev(cells[k, o] for o in orders))
        scores[retriever] = (fmean(ndr), fmean(rsr), fmean(ror))
    three = [fmean(pair) for pair in zip(*scores.values(), strict=True)]
    for metric, found in zip(("NDR", "RSR", "ROR"), three, strict=True):
        assert value(system, "retrieval_robustness", metric) == pytest.approx(found, abs=EXACT)
    mean = math.prod(three) ** (1 / 3)
    assert value(system, "retrieval_robustness", "geometric mean") == pytest.approx(mean, abs=EXACT)
    performance = fmean(one for cells in f.values() for one in cells.values())
    assert value(system, "retrieval_robustness", "performance") == pytest.approx(performance, abs=EXACT)
    assert value(system, "retrieval_robustness", "closed-book performance") == closed
    written = dict.fromkeys(("right", "right_unless_typo", "refuses"), (1, 1, 1)) | {"forgets": (2 / 3, 1 / 2, 1)}
    if system in written:
        assert three == pytest.approx(written[system])
    else:
        assert three[0] == 1 and (system == "reads") == (three[1:] == [1, 1])


# A group is upper_case and butter_fingers, a paraphrase, and a distraction before and after: four of five survive typos
H_TILDE = 2 * math.asin(math.sqrt(4 / 5)) / math.pi - 1


@pytest.mark.parametrize("system", NAMES)
def test_every_system_s_effect_sizes_are_those_of_its_definition(system, value):
    original, typo = float(system != "refuses"), system == "right_unless_typo"
    for slice_, share, change in [
        ("all", 4 / 5, H_TILDE),
        ("family=superficial", 1 / 2, -1 / 2),
        ("perturbation=butter_fingers", 0, -1),
        ("perturbation=upper_case", 1, 0),
        ("family=paraphrase", 1, 0),
        ("family=distraction", 1, 0),
    ]:
        after, h_tilde = (share, change) if typo else (original, 0.0)
        got = {name: value(system, "effect_size", name, slice_) for name in ("Original score", "Perturbed score")}
        assert got == pytest.approx({"Original score": original, "Perturbed score": after}, abs=EXACT)
        assert value(system, "effect_size", "PDR", slice_) == pytest.approx(1 - after if original else 0, abs=EXACT)
        assert value(system, "effect_size", "H̃", slice_) == pytest.approx(h_tilde, abs=EXACT)
        assert value(system, "effect_size", "AH̃", slice_) == pytest.approx(abs(h_tilde), abs=EXACT)
    assert value(system, "effect_size", "H") == pytest.approx(math.pi * (H_TILDE if typo else 0), abs=EXACT)
    assert value(system, "effect_size", "PDR undefined") == 0


# Cor., Rej., H, C and R over all ratios, where no order of passages matters: a context without gold is one in seven
# ratios of single-hop questions, and one in six of the others, of which there are as many
READS = ((6 / 7) + (5 / 6)) / 2
MUSHROOM = {
    "right": (1, 0, 0, 0, 0),
    "right_unless_typo": (1, 0, 0, 0, 0),
    "forgets": (1, 0, 0, 0, 0),
    "refuses": (0, 1, 0, 0, 0),
    "reads": (READS, 1 - READS, 0, 0, READS),
}


@pytest.mark.parametrize("system", NAMES)
def test_every_system_stands_as_much_noise_as_its_definition_has_it_stand(system, trials, value):
    rows = [row for row in of(trials, "magic_mushroom") if row["cell"] != "probe"]
    slices = {"all": [row for row in rows if row["cell"] == "ratio"]}
    for row in rows:
        if row["cell"] == "ratio":
            slices.setdefault(f"hops={row['hops']}, ratio={row['ratio']:g}", []).append(row)
        elif row["cell"] == "scenario":
            slices.setdefault(f"scenario={row['scenario']}", []).append(row)
        else:
            assert row["cell"] == "class"
            slices.setdefault(f"class={row['mix']}, ratio={row['ratio']:g}", []).append(row)
    assert len(slices) == 1 + (7 + 6) + 4 + 4
    without = float(system in KNOWING)
    assert value(system, "magic_mushroom", "Cor.", "NoRAG") == without
    assert value(system, "magic_mushroom", "Rej.", "NoRAG") == float(system in ("refuses", "reads", "parrot"))
    for slice_, some in slices.items():
        by_question = defaultdict(list)
        for row in some:
            said = verdict(system, row)
            right, refused = float(said == "right"), float(said == "refused")
            lost = max(0.0, without - right)
            confused = refused * without
            by_question[row["question_id"]].append(
                (right, refused, lost - confused, confused, max(0.0, right - without))
            )
        means = [[fmean(column) for column in zip(*its, strict=True)] for its in by_question.values()]
        found = [fmean(column) for column in zip(*means, strict=True)]
        got = [value(system, "magic_mushroom", name, slice_) for name in ("Cor.", "Rej.", "H", "C", "R")]
        assert got == pytest.approx(found, abs=EXACT), slice_
        assert got[0] - without == pytest.approx(got[4] - got[2] - got[3], abs=EXACT)
        assert slice_ != "all" or system not in MUSHROOM or found == pytest.approx(MUSHROOM[system])
        if slice_.startswith("hops="):
            noise = value(system, "magic_mushroom", "Noise", slice_)
            assert noise == pytest.approx(float(slice_.rpartition("=")[2]), abs=EXACT)
