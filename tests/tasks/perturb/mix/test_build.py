"""Contexts have what was asked for, or say what they lack."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed import SIZES, chunk, pool, question, variant, words

from rarefy.data_contracts.rows import Context
from rarefy.tasks.perturb.mix import CLASSES, GOLDEN, NOISE, SCENARIOS, MixConfig, mix, texts
from rarefy.tasks.perturb.mix.build import count_noise
from rarefy.tasks.text.notations import contains_answer

Q = question()
DESIGN = st.fixed_dictionaries(
    {
        "k": st.integers(1, 14),
        "ratios": st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 0.9, 1.0]), min_size=1, max_size=3),
        "mixes": st.lists(st.sampled_from(["natural", *NOISE, "3:1:1:2", "0:0:1:5"]), min_size=1, max_size=2),
        "scenarios": st.lists(st.sampled_from(list(SCENARIOS)), max_size=1),
        "position": st.sampled_from(["", "near", "mid", "far"]),
        "placed": st.sampled_from(list(CLASSES)),
        "question": st.sampled_from(["before", "after"]),
        "order": st.sampled_from(["shuffled", "original", "reversed"]),
        "fill": st.booleans(),
        "seed": st.integers(0, 3),
    }
)
HELD = st.fixed_dictionaries({name: st.integers(0, size) for name, size in SIZES.items()})


def made(config: MixConfig, of=Q, held=None, **more) -> list[Context]:
    variants = pool(of) if held is None else held
    return list(mix([of], variants, config, count=words, **more))


@settings(max_examples=60, deadline=None)
@given(DESIGN, HELD, st.integers(1, 3), st.randoms(use_true_random=False))
def test_whatever_is_asked_for_contexts_hold_what_they_say(design, held, hops, random):
    of = question(hops=hops)
    variants = pool(of, **held)
    config = MixConfig(**design)
    contexts = made(config, of, variants)
    by_id = {one.variant_id: one for one in variants}
    mixed = random.sample(variants, len(variants))
    assert made(config, of, mixed) == contexts  # nothing depends on the order of rows
    assert len({one.context_id for one in contexts}) == len({(one.setting, one.variant_ids) for one in contexts})
    for one in contexts:
        shown = [by_id[name] for name in one.variant_ids]
        assert one.classes == tuple(passage.family for passage in shown)
        assert one.passages == len(shown) == len({passage.text for passage in shown}) <= one.k
        assert one.tokens == sum(words(texts(one, by_id)))
        assert (one.passages < one.k) <= bool(one.short_of)
        assert bool(one.rejected_because) == (not shown)
        assert not any(contains_answer(passage.text, of.answer) for passage in shown if passage.family != GOLDEN)
        if one.passages == one.k:
            assert one.classes.count(GOLDEN) == one.k - count_noise(one.k, one.ratio)
        if one.ratio == 1:
            assert GOLDEN not in one.classes
        if 0 < one.ratio < 1 and shown and one.k > 1:
            assert 0 < one.noise < 1
        if shown and one.ratio < 1 and GOLDEN in one.classes:
            golden = {passage.chunk_id for passage in shown if passage.family == GOLDEN}
            assert one.partial_gold == (golden != set(of.chunk_ids))
        if one.position:
            places = [at for at, name in enumerate(one.classes) if name == one.placed]
            assert places == list(range(places[0], places[-1] + 1))
            near = 0 if config.question == "before" else one.passages - len(places)
            far = one.passages - len(places) - near
            middle = (one.passages - len(places)) / 2
            assert abs(places[0] - {"near": near, "mid": middle, "far": far}[one.position]) < 1


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_of_ten_has_its_shares_exactly(name):
    (one,) = made(MixConfig(scenarios=(name,)))
    shares = SCENARIOS[name].shares
    assert Counter(one.classes) == {part: int(share * 10) for part, share in shares.items() if share}


@pytest.mark.parametrize("name", NOISE[1:])
@pytest.mark.parametrize(("ratio", "k"), [(0.7, 10), (0.9, 8), (1.0, 7)])
def test_one_class_of_seven_passages_makes_the_papers_smaller_contexts(name, ratio, k):
    (one,) = made(MixConfig(mixes=(name,), ratios=(ratio,)))
    assert Counter(one.classes)[name] == 7
    assert one.passages == k
    assert one.short_of == ((f"{name}: 7 of {int(10 * ratio)}",) if ratio > 0.7 else ())


def test_the_grids_are_the_papers_for_single_and_for_several_hops():
    assert [one.ratio for one in made(MixConfig())] == [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1]
    assert [one.ratio for one in made(MixConfig(), question(hops=2))] == [0, 0.2, 0.4, 0.6, 0.8, 1]


def test_contexts_of_growing_ratio_share_what_they_can():
    contexts = [set(one.variant_ids) for one in made(MixConfig())]
    by_id = {one.variant_id: one.family for one in pool(Q)}
    for less, more in pairwise(contexts):
        assert {v for v in more if by_id[v] == GOLDEN} <= {v for v in less if by_id[v] == GOLDEN}
        assert {v for v in less if by_id[v] != GOLDEN} <= {v for v in more if by_id[v] != GOLDEN}


def test_a_short_pool_keeps_the_ratio_and_says_what_it_lacks():
    (one,) = made(MixConfig(ratios=(0.5,), mixes=("1:1:1:1",)), held=pool(Q, golden=2))
    assert (one.passages, one.noise, one.short_of) == (5, 0.6, ("golden: 2 of 5",))  # 2.5 of 5: halves to the noise


def test_an_empty_class_is_left_out_or_filled_where_that_is_asked_for():
    held = pool(Q, distracting=0)
    (left,) = made(MixConfig(ratios=(1.0,), mixes=("3:1:1:2",)), held=held)
    (full,) = made(MixConfig(ratios=(1.0,), mixes=("3:1:1:2",), fill=True), held=held)
    assert left.short_of == full.short_of == ("distracting: 0 of 4",)
    assert (left.passages, full.passages) == (6, 10)
    assert "filled" in full.setting


def test_without_golden_passages_there_is_a_context_at_ratio_one_alone():
    contexts = made(MixConfig(), held=pool(Q, golden=0))
    assert [one.rejected_because for one in contexts] == ["no_passages"] * 6 + [""]
    assert contexts[0].noise == -1.0


def test_each_gold_chunk_comes_before_another_of_one():
    of = question(hops=3)
    (five,) = made(MixConfig(k=10, ratios=(0.5,)), of)
    (two,) = made(MixConfig(k=10, ratios=(0.8,)), of)
    chunks = {one.variant_id: one.chunk_id for one in pool(of)}
    golden = Counter(chunks[v] for v, name in zip(five.variant_ids, five.classes, strict=True) if name == GOLDEN)
    assert sorted(golden.values()) == [1, 2, 2]
    assert (five.partial_gold, two.partial_gold) == (False, True)


def test_a_question_is_mixed_alike_whoever_its_neighbours_are():
    other = question("other")
    alone = made(MixConfig())
    among = list(mix([other, Q], [*pool(other), *pool(Q)], MixConfig(), count=words))
    assert [one for one in among if one.question_id == "q"] == alone


def test_one_passage_more_moves_no_other():
    few, many = made(MixConfig(ratios=(0.0,), k=20), held=pool(Q, golden=9)), made(MixConfig(ratios=(0.0,), k=20))
    assert [v for v in many[0].variant_ids if v in few[0].variant_ids] == list(few[0].variant_ids)


def test_noise_that_holds_the_answer_is_not_used_not_even_by_its_title():
    told = variant(Q, "irrelevant", 0, text="It had 164 thousand employees.")
    titled = variant(Q, "irrelevant", 1, chunk_id="t")
    chunks = {"t": chunk("t", "The 164,000 of Acme")}
    fine = variant(Q, "irrelevant", 2)
    config = MixConfig(mixes=("irrelevant",), ratios=(1.0,))
    (one,) = made(config, held=[told, titled, fine], chunks=chunks)
    assert one.variant_ids == (fine.variant_id,)
    (bare,) = made(config.model_copy(update={"titles": False}), held=[told, titled, fine], chunks=chunks)
    assert set(bare.variant_ids) == {titled.variant_id, fine.variant_id}


def test_rejected_passages_other_sides_and_doubles_are_not_used():
    fine = variant(Q, "irrelevant", 2)
    held = [
        fine,
        variant(Q, "irrelevant", 3, text=fine.text.upper()),
        variant(Q, "irrelevant", 4, rejected_because="answer_remains"),
        variant(Q, "irrelevant", 5, side="document"),
        variant(Q, "distraction", 6),
        variant(Q, "irrelevant", 7, text=" "),
    ]
    (one,) = made(MixConfig(mixes=("irrelevant",), ratios=(1.0,)), held=held)
    assert one.variant_ids in ((fine.variant_id,), (held[1].variant_id,))


def test_a_length_is_met_or_said_to_be_out_of_reach():
    config = MixConfig(ratios=(0.5,))
    (free,) = made(config)
    wanted = f"{free.tokens + 4}-{free.tokens + 6}"
    (met,) = made(config.model_copy(update={"length": wanted}))
    assert free.tokens + 4 <= met.tokens <= free.tokens + 6
    assert Counter(met.classes)[GOLDEN] == Counter(free.classes)[GOLDEN]
    (far,) = made(config.model_copy(update={"length": "1500+"}))
    assert (far.rejected_because, far.passages) == ("length", 0)


def test_ranked_contexts_begin_with_what_is_most_alike_the_question():
    def embed(given):
        return [[1.0, 0.0] if "employees" in text else [0.0, 1.0] for text in given]

    (one,) = made(MixConfig(ratios=(0.5,), order="ranked"), embed=embed)
    assert one.classes[:5] == (GOLDEN,) * 5
    with pytest.raises(ValueError, match="needs an embedder"):
        made(MixConfig(order="ranked"))


def test_a_seed_is_another_draw():
    one, other = (made(MixConfig(ratios=(0.5,), seed=seed))[0] for seed in (0, 1))
    assert set(one.variant_ids) != set(other.variant_ids)


def test_rejected_questions_have_no_contexts():
    assert made(MixConfig(), replace(Q, rejected_because="unclear")) == []


def test_texts_are_shown_in_order_and_titled():
    (one,) = made(MixConfig(ratios=(0.0,), k=2))
    held = {v.variant_id: v for v in pool(Q)}
    shown = texts(one, held, {"q-c0": chunk("q-c0", "Acme, Form 10-K")})
    assert shown == [f"Acme, Form 10-K\n{held[name].text}" for name in one.variant_ids]
    with pytest.raises(KeyError, match=one.context_id):
        texts(one, {})


@pytest.mark.parametrize(
    "wrong", [{"scenarios": ("SCE5",)}, {"mixes": ("noise",)}, {"length": "short"}, {"order": "sorted"}]
)
def test_what_there_is_not_is_refused_at_once(wrong):
    with pytest.raises(ValueError, match="have"):
        made(MixConfig(**wrong))


def test_odd_texts_are_passages_like_others():
    odd = ["\u202eمرحبا", "a\u200bb", "👩‍👩‍👧", "| a | b |", '"\\', "word", "x" * 1_000_000]
    held = [variant(Q, "irrelevant", at, text=text) for at, text in enumerate(odd)]
    (one,) = made(MixConfig(mixes=("irrelevant",), ratios=(1.0,)), held=Random(1).sample(held, len(held)))
    assert one.passages == len(odd)


def test_noise_in_which_the_answer_is_called_by_its_surname_is_not_used():
    asked = replace(Q, text="Who first walked on the Moon?", answer="Neil Armstrong", aliases=())
    leak = variant(asked, "distracting", 90, text="Commander Neil Martin landed. Armstrong then stepped onto the Moon.")
    (one,) = mix([asked], [leak], MixConfig(ratios=(1.0,)), count=words)
    assert one.variant_ids == () and one.rejected_because == "no_passages"
