"""What can become of a row between two benchmarks, by kind, and what each word means."""

WORDS: dict[str, dict[str, str]] = {
    "documents": {
        "added": "not there before",
        "deleted": "not there any more",
        "unreadable": "in quarantine now, for the reason that is told: no document any more, and not deleted",
        "edited": "the same source, other content",
        "renamed": "the same content under another name",
        "renamed_and_edited": "another name, and most of the same text",
        "reread": "the same content, read otherwise by another version of rarefy or another config",
        "unchanged": "the same source, the same content",
    },
    "sections": {
        "added": "a heading with its text that was not there before",
        "deleted": "a heading that is gone, with its text",
        "renamed": "the same text under another heading",
        "moved": "another place among the sections",
    },
    "paragraphs": {
        "added": "a paragraph or a table's row that was not there before",
        "removed": "one that is gone",
        "edited": "one in the place of a similar one",
        "moved": "the same words at another place, or in another section",
    },
    "triplets": {
        "added": "a fact that was not stated before",
        "gone": "a fact that is not stated any more, or not at this place",
        "restated": "the same subject, relation and period with another value",
        "moved": "the same fact, stated at another place",
        "unchanged": "the same fact at the same place",
    },
    "questions": {
        "added": "not asked before",
        "retired": "not asked any more",
        "answer_changed": "the same question with another answer: the old one is retired, the new one is its successor",
        "evidence_moved": "the same question and answer, proved by other sentences or at another place",
        "reworded": "the same question of the same facts with the same answer, in other words",
        "unchanged": "the same question, answer and evidence: answers and scores stand",
    },
    "chunks": {
        "added": "another text, or one that was not there before",
        "removed": "a text that is gone",
        "moved": "the same text at another offset, or in another document",
        "section_changed": "the same text under other headings",
        "unchanged": "the same text at the same place",
    },
    "variants": {
        "added": "kept variants that were not there before",
        "gone": "kept variants that are not there any more",
        "unchanged": "the same",
    },
}
