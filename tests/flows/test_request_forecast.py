"""Which questions a forecast counts where: models are asked for patterns alone, and judge all but absences."""

from rarefy.data_contracts.rows import KINDS, Path
from rarefy.data_contracts.tables import to_table
from rarefy.flows.config import Config
from rarefy.flows.models.request_forecast import (
    CountingModel,
    Counts,
    Rates,
    RequestTally,
    SupposedNLI,
    count_rows,
    count_variant_requests,
    guess_paths,
    measure_rates,
)
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.store.tables import Store


def test_of_each_kind_it_is_known_who_asks(tmp_path):
    store = Store(str(tmp_path / "store"))
    paths = [Path(kind, kind, ("a", "b"), ("c", "d"), "") for kind in (*KINDS, "mine:ring")]
    counts = count_rows(store, store.keep(to_table(paths, Path)), ())
    assert counts.single == (1, 1, 1)
    assert counts.multi == (4, 4, 4)  # three patterns, and one's own
    assert counts.by_rules == (5, 5, 5)
    assert counts.several == (9, 9, 9) and counts.all == (10, 10, 10)  # nothing is judged of what is absent


def test_rates_of_a_build_keep_the_kinds_apart():
    paths = [("single", 1)] * 10 + [("chain", 2)] * 4 + [("change", 1)] * 8 + [("listing", 3)] * 2 + [("absent", 1)] * 9
    questions = [("single", "")] * 5 + [("chain", "")] * 2 + [("change", "")] * 5 + [("absent", "")] * 3
    rates = measure_rates(100, paths, questions)
    assert (rates.paths_single, rates.paths_multi, rates.paths_by_rules) == (0.1, 0.04, 0.1)
    assert (rates.stand_single, rates.stand_multi, rates.stand_by_rules) == (0.5, 0.5, 0.5)
    assert rates.chunks_multi == 2.0


def test_without_a_build_the_defaults_are_taken():
    assert guess_paths(100, Rates()).by_rules[1] == 100 * Rates().paths_by_rules
    assert guess_paths(100, Rates()).standing(Rates()).by_rules[1] == 100 * Rates().paths_by_rules * 0.8


def varied(share: float = 1.0, rules_first: bool = False) -> Config:
    """A config whose paraphrases a model writes, and whose entailment another judges."""
    model = {"provider": "openai", "model": "m"}
    perturb = {"by": ["paraphrase", "style"], "query": ["paraphrase"], "document": ["style"], "context": []}
    nli = {"method": "model", "llm": model, "rules_first": rules_first}
    return Config.model_validate({"llm": model, "perturb": {**perturb, "model_share": share}, "nli": nli})


def checks(config: Config) -> float:
    """The likely number of entailment checks of 100 single questions."""
    return count_variant_requests(config, Counts((100,) * 3, (0,) * 3, 1.0), 100, 200.0)["nli"].calls[1]


def test_of_questions_that_are_not_drawn_only_what_rules_write_is_compared():
    whole, third, few = (checks(varied(share)) for share in (1.0, 0.3, 0.01))
    assert 0 < few < third < whole
    assert checks(varied(0.3, rules_first=True)) < third


def test_what_the_rules_show_to_be_kept_is_no_request_where_they_go_first(tmp_path):
    pairs = [("Acme rose by 12%.", "Acme rose by 12 percent."), ("Sales rose.", "Sales went up.")]
    for first, requests in ((False, 2), (True, 1)):
        config = varied(rules_first=first).nli
        tally = RequestTally(config.llm)
        check = SupposedNLI(config, CountingModel(tally, None)).connect(tmp_path, threads=1, means=InferenceContext())
        assert [label.label for label in check(pairs)] == ["kept" if first else "entailment", "entailment"]
        assert tally.calls == requests
