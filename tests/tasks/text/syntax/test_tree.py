"""Sentences are read the same by many threads at once, whatever the others want of them."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from rarefy.tasks.text.syntax import tree
from rarefy.tasks.text.syntax.tree import _parsed, parse_ahead, parsed, tag_words

SENTENCES = [f"In {year} the company closed {count} stores in Oslo." for year in range(2000, 2020) for count in (3, 7)]


@pytest.fixture
def restless():
    """Threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def arcs(sentence):
    return [(token.dep_, token.head.i) for token in parsed(sentence)]


def test_tagging_in_one_thread_takes_no_tree_from_another(restless):
    alone = [arcs(sentence) for sentence in SENTENCES]
    for _ in range(3):
        _parsed.cache_clear()
        tag_words.cache_clear()
        with ThreadPoolExecutor(8) as pool:
            both = [(pool.submit(arcs, sentence), pool.submit(tag_words, sentence)) for sentence in SENTENCES]
            assert [tree.result() for tree, _ in both] == alone
            assert all(tags.result() for _, tags in both)


def test_sentences_parsed_together_have_the_trees_that_each_has_alone():
    sentences = [
        f"What was Apple Inc.'s {what} in fiscal year 2024?" for what in ("net income", "cost of sales", "debt")
    ]

    def trees():
        return [[(w.text, w.tag_, w.dep_, w.head.i, w.lemma_) for w in parsed(one)] for one in sentences]

    _parsed.cache_clear()
    alone = trees()
    _parsed.cache_clear()
    parse_ahead([*sentences, "", "x" * 601])
    read = _parsed.cache_info().misses
    assert trees() == alone and _parsed.cache_info().misses == read == len(sentences) and not tree._AHEAD
