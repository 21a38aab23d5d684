"""MultiHop-RAG and FinanceBench, in the shape of their published files."""

from rarefy.tasks.perturb.layouts import detect_layout, rows

MULTIHOP = {
    "query": "Which company, covered by both The Verge and TechCrunch, was sued over its app store?",
    "answer": "Google",
    "question_type": "inference_query",
    "evidence_list": [
        {"title": "Epic v. Google", "author": "A", "url": "https://a", "source": "The Verge", "category": "technology",
         "published_at": "2023-11-06T12:00:00+00:00", "fact": "Epic sued Google over the Play Store."},
        {"title": "A trial", "author": "B", "url": "https://b", "source": "TechCrunch", "category": "technology",
         "published_at": "2023-11-07T12:00:00+00:00", "fact": "Google defends its store in court."},
    ],
}  # fmt: skip
FINANCEBENCH = {
    "financebench_id": "financebench_id_03029",
    "company": "3M",
    "doc_name": "3M_2018_10K",
    "question_type": "metrics-generated",
    "question": "What is the FY2018 capital expenditure amount (in USD millions) for 3M?",
    "answer": "$1577.00",
    "justification": "The metric capital expenditures was directly extracted from the company 10K.",
    "dataset_subset_label": "OPEN_SOURCE",
    "evidence": [
        {"evidence_text": "Purchases of property, plant and equipment (PP&E) (1,577)", "doc_name": "3M_2018_10K",
         "evidence_page_num": 59,
         "evidence_text_full_page": "Cash Flows\nPurchases of property, plant and equipment (PP&E) (1,577)\nOther"}
    ],
}  # fmt: skip


def test_a_query_of_multihop_rag_has_a_gold_passage_for_each_fact():
    assert detect_layout([MULTIHOP]) == "multihop_rag"
    (question,), chunks = rows([MULTIHOP])
    assert question.answer == "Google" and len(question.chunk_ids) == 2
    assert {row.title for row in chunks.values()} == {"Epic v. Google", "A trial"}


def test_a_question_of_financebench_has_its_page_and_the_sentence_on_it():
    assert detect_layout([FINANCEBENCH]) == "financebench"
    (question,), chunks = rows([FINANCEBENCH])
    (page,) = chunks.values()
    assert question.answer == "$1577.00" and page.title == "3M_2018_10K" and page.text.startswith("Cash Flows")
    assert question.evidence == ("Purchases of property, plant and equipment (PP&E) (1,577)",)
