"""Sentences are read the same by many threads at once, whatever the others want of them."""

from concurrent.futures import ThreadPoolExecutor

from rarefy.tasks.text.syntax.tree import _parsed, parsed, tag_words

SENTENCES = [f"In {year} the company closed {count} stores in Oslo." for year in range(2000, 2020) for count in (3, 7)]


def arcs(sentence):
    return [(token.dep_, token.head.i) for token in parsed(sentence)]


def test_tagging_in_one_thread_takes_no_tree_from_another():
    alone = [arcs(sentence) for sentence in SENTENCES]
    _parsed.cache_clear()
    tag_words.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        trees = [pool.submit(arcs, sentence) for sentence in SENTENCES]
        tags = [pool.submit(tag_words, sentence) for sentence in SENTENCES]
        assert [tree.result() for tree in trees] == alone
        assert all(tag.result() for tag in tags)
