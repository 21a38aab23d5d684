from random import Random

from rarefy.tasks.corpus.read.compose import recover_paragraphs


def test_titles_between_sentences_are_set_apart() -> None:
    text = "The Committee ratified these. Staff Review of the Economic Situation The information reviewed was good."
    assert list(recover_paragraphs(text)) == [
        ("text", "The Committee ratified these."),
        ("heading", "Staff Review of the Economic Situation"),
        ("text", "The information reviewed was good."),
    ]


def test_an_edit_moves_only_the_paragraphs_beside_it() -> None:
    openers = (
        "Participants noted",
        "It seemed",
        "Prices showed",
        "Members agreed",
        "Some felt",
        "They said",
        "Sales meant",
    )
    random = Random(1)
    sentences = [f"{random.choice(openers)} that the number {n} was larger than those before it." for n in range(200)]
    before = [words for _, words in recover_paragraphs(" ".join(sentences))]
    sentences[20] = "This one was changed entirely and has some other length than it had before."
    after = [words for _, words in recover_paragraphs(" ".join(sentences))]
    assert len(set(before) - set(after)) <= 5


def test_a_sentence_that_never_ends_is_cut() -> None:
    assert max(len(words.split()) for _, words in recover_paragraphs("word " * 5000)) <= 500
