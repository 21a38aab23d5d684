"""The examples of the catalogue are what the rules make of the passage."""

from random import Random

import pytest

from rarefy.data_contracts.rows import row_id
from rarefy.tasks.perturb.case import Case
from rarefy.tasks.perturb.catalogue import ANSWER, CATALOGUE, EVIDENCE, EXAMPLES, PASSAGE, TITLE, load_maker
from rarefy.tasks.perturb.checks import CHECKS
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.spans import project_spans

AT = PASSAGE.index(EVIDENCE)
CASE = Case("example", "document", PASSAGE, title=TITLE, answer=ANSWER, spans=((AT, AT + len(EVIDENCE)),))
MADE = [e for e in CATALOGUE.values() if e.side == "document" and e.rules and e.by == "rules"]


@pytest.mark.parametrize("entry", MADE, ids=lambda entry: entry.name)
def test_an_example_is_what_is_made(entry):
    draft = next(load_maker(entry)(CASE, PerturbConfig(), Random(row_id(CASE.case_id, entry.name))))
    assert (PASSAGE, draft.text) == entry.example == EXAMPLES[entry.name]
    assert [CHECKS[name](CASE, draft) for name in entry.checks] == [""] * len(entry.checks)
    spans = [draft.text[a:b] for a, b in project_spans(CASE, draft)]
    if entry.name == "answer_deleted":
        assert spans == []
    else:
        assert [span.replace('\\"', '"') for span in spans] == [EVIDENCE]
