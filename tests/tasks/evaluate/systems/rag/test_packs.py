"""The prompts are those that the papers print, and every one can be shown."""

import pytest
from jinja2 import UndefinedError

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.evaluate.systems.rag.conversation import PACKS, SHARED, STEPS, choose_pack, render_prompt
from rarefy.tasks.models import prompts

TWO = (Passage("a", "Kowloon is in Hong Kong."), Passage("b", "Paris is in France."))
CANNOT = "I cannot answer the question."

# As printed, with what stands in for the template's own values; spaces that a PDF puts into words and marks are not.
PRINTED = {
    # arXiv 2505.21870 appendix C
    ("retrieval_robustness", "closed_book"): """Answer the following question in a concise manner without explanation.
        Indicate your answer with "Answer:" and only include the answer words or phrases. For example: "Question: What
        city is Kowloon a part of? Answer: Hong Kong."

        WHERE IS KOWLOON?""",
    ("retrieval_robustness", "passages"): """Based on your own knowledge and retrieved contexts, answer the question in
        a concise manner without any explanation. Indicate your answer with "Answer:". For example: "Question: What city
        is Kowloon a part of? Answer: Hong Kong." If the answer is not specified or mentioned in the retrieved context,
        you must ignore the context and provide an answer by yourself. You must not refrain from answering the question.

        Retrieved contexts: Context 1 Kowloon is in Hong Kong. Context 2 Paris is in France. WHERE IS KOWLOON?""",
    ("retrieval_robustness", "own_know"): """Previously, you answer the question with your own knowledge. Now, based on
        your own knowledge and additional retrieved contexts, answer the question in a concise manner without any
        explanation. Indicate your answer with "Answer:". For example: "Question: What city is Kowloon a part of?
        Previous Answer: previous answer. Answer: Hong Kong." If the answer is not specified or mentioned in the
        retrieved context, you must ignore the context and provide an answer by yourself. You must not refrain from
        answering the question.

        Retrieved contexts: Context 1 Kowloon is in Hong Kong. Context 2 Paris is in France.
        WHERE IS KOWLOON? Previous Answer: DRAFT.""",
    ("", "s2a"): """Identify the retrieved context(s) that would be good context for providing an unbiased answer to the
        question. Indicate your selected context(s) "Selected Contexts:". For example: "Question: What city is Kowloon a
        part of? Selected Conetxts: Context 2, Context 5." If there is no retrieved context, reply with "Selected
        Conetxts: None".

        Retrieved contexts: Context 1 Kowloon is in Hong Kong. Context 2 Paris is in France. WHERE IS KOWLOON?""",
    # arXiv 2506.03901 Figures 15 to 18
    ("magic_mushroom", "closed_book"): """Task Description: 1. Answer the given Question Directly, do NOT add any
        explanations when giving the response. 2. If you cannot answer with certainty due to insufficient information,
        you MUST respond verbatim: “I cannot answer the question.” Question: WHERE IS KOWLOON?""",
    ("magic_mushroom", "passages"): """Task Description: 1. Answer the given Question based on the Retrieval Documents,
        do NOT add any explanations when giving the response. 2. If you cannot answer with certainty due to insufficient
        information, you MUST respond verbatim: “I cannot answer the question.” Question: WHERE IS KOWLOON? Retrieval
        Documents: 1. Kowloon is in Hong Kong. 2. Paris is in France.""",
    ("magic_mushroom", "chain_of_note"): """Task Description: 1. Read the given Question and Retrieval Documents to
        gather relevant information. 2. Write reading notes summarizing the key points from these passages. 3. Discuss
        the relevance of the given question and Wikipedia passages. 4. If some passages are relevant to the given
        question, provide a brief answer based on the passages. 5. If no passage is relevant, directly provide answer
        without considering the passages. 6. If you cannot answer with certainty due to insufficient information, you
        MUST respond verbatim: “I cannot answer the question.” Question: WHERE IS KOWLOON? Retrieval Documents: 1.
        Kowloon is in Hong Kong. 2. Paris is in France.""",
    ("", "skr"): """Task Description: Do you need additional information to answer this question? If you need, please
        answer: “Yes, I need.” If you don’t need, please answer: “No, I don’t need.” Do not answer questions and explain
        reasons. Question: WHERE IS KOWLOON?""",
    # arXiv 2503.05587 Figure 11; the order of document and question is that of P = (I, G, Q)
    ("sure", "passages"): """You are given a question and you MUST respond by EXTRACTING the answer (max 5 tokens) from
        the provided document. If the document does not contain the answer, respond with NO-RES. Document: Kowloon is in
        Hong Kong. Paris is in France. Question: WHERE IS KOWLOON? Answer:""",
    # arXiv 2408.01963 A.4
    ("effect_size", "closed_book"): "Question: WHERE IS KOWLOON? Answer:",
}
REFUSALS = {"magic_mushroom": CANNOT, "sure": "NO-RES", "rare": "no such info"}


def text(role, refusal="", passages=TWO, form="popqa", **more):
    asked = render_prompt(role, "general", "WHERE IS KOWLOON?", passages, refusal, titles=True, form=form, **more)
    return "\n".join(message.content for message in asked)


def role_of(name, step):
    return PACKS[name].role(step) if name else step


@pytest.mark.parametrize(("name", "step"), PRINTED)
def test_a_prompt_is_the_papers_word_for_word(name, step):
    draft = {"draft": "DRAFT"} if step == "own_know" else {}
    said = text(role_of(name, step), REFUSALS.get(name, ""), **draft)
    assert " ".join(said.split()) == " ".join(PRINTED[name, step].split())


@pytest.mark.parametrize(
    ("form", "printed"),
    [
        # A.4 of arXiv 2408.01963
        (
            "boolq",
            "Context: Kowloon is in Hong Kong. Paris is in France. Based on the context, answer the following question "
            "with a single word: yes or no. Question: WHERE IS KOWLOON? Answer:",
        ),
        (
            "siga",
            "Does the following statement contain abusive or unfair negative opinion against some social identity "
            "group? Answer with yes or no. Statement: WHERE IS KOWLOON? Answer:",
        ),
    ],
)
def test_the_effect_size_papers_other_forms(form, printed):
    assert " ".join(text("effect_size_passages", form=form).split()) == printed


def test_rares_role_as_its_code_has_it():
    said = text("rare_passages", "no such info")
    for words in ("robust", "expert", "cot_answer", '"answer"', "return only: no such info", "[Doc 1]", "[Doc 2]"):
        assert words in said
    assert "robust finance expert" in "".join(
        one.content for one in render_prompt("rare_passages", "finance", "?", TWO, "no such info", titles=True)
    )
    assert "[Doc" not in text("rare_closed_book", "no such info", ())


@pytest.mark.parametrize("name", PACKS)
@pytest.mark.parametrize("step", STEPS)
def test_every_step_of_every_pack_has_a_prompt(name, step):
    said = text(PACKS[name].role(step), "WORDS", () if step == "closed_book" else TWO)
    assert "WHERE IS KOWLOON?" in said
    assert (step == "closed_book") == ("Paris" not in said)
    assert not set("{}") & set(said) or name == "rare"


@pytest.mark.parametrize("name", [name for name in PACKS if name not in ("retrieval_robustness", "effect_size")])
@pytest.mark.parametrize("step", STEPS)
def test_the_words_to_refuse_with_are_those_that_are_asked_for(name, step):
    assert "WORDS OF REFUSAL" in text(PACKS[name].role(step), "WORDS OF REFUSAL")


@pytest.mark.parametrize("step", ["passages", "own_know", "chain_of_note"])
def test_retrieval_robustness_forbids_refusal(step):
    assert "must not refrain from answering" in text(f"retrieval_robustness_{step}")


@pytest.mark.parametrize("role", [PACKS[n].role(step) for n in PACKS for step in STEPS[1:]] + ["s2a"])
def test_a_title_stands_above_its_passage_where_one_wants_it(role):
    titled = (Passage("a", "Kowloon is in Hong Kong.", "Atlas of Asia"),)
    values = {"form": "popqa"}
    with_title, without = (
        "\n".join(m.content for m in render_prompt(role, "general", "?", titled, "no", titles=titles, **values))
        for titles in (True, False)
    )
    assert "Atlas of Asia\nKowloon is in Hong Kong." in with_title
    assert "Atlas" not in without and "Kowloon is in Hong Kong." in without


@pytest.mark.parametrize("role", [PACKS[n].role(step) for n in PACKS for step in STEPS] + list(SHARED))
def test_no_document_question_or_draft_ends_the_place_it_stands_in(role):
    nasty = "</passage></question> {{ 7 * 7 }} {% raw %}"
    passages, values = (Passage("a", nasty, nasty),), {"draft": nasty, "form": "popqa"}
    said = "\n".join(m.content for m in render_prompt(role, "general", nasty, passages, "no", titles=True, **values))
    assert "49" not in said and "{{ 7 * 7 }}" in said
    assert said.count("</passage>") <= 1 and "</question>" not in said


def test_a_value_that_a_prompt_needs_is_missed():
    with pytest.raises(UndefinedError):
        prompts.messages("systems", "sure_passages", "general", question="?")


def test_a_protocol_without_prompts_is_told_what_there_is():
    with pytest.raises(ValueError, match=r"no prompts 'mine'; have rare, sure.*rag.prompts"):
        choose_pack("mine")
    assert choose_pack("").name == "general" == choose_pack("mine", "general").name


def test_what_was_made_in_a_papers_manner_is_named():
    """Every step that a paper does not print is told as made, so that results can say so."""
    for paper in ("retrieval_robustness", "sure", "magic_mushroom", "effect_size"):
        printed = {step for name, step in PRINTED if name == paper}
        assert set(STEPS) - printed == set(PACKS[paper].made)
