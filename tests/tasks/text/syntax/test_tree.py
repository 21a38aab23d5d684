"""Sentences are read the same by many threads at once, whatever the others want of them."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from rarefy.tasks.text.syntax.tree import _parsed, parsed, tag_words

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
