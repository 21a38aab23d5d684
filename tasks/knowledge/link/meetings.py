"""Links between minutes: the meeting that was held next, and the one whose minutes were approved."""

import re
from collections.abc import Iterator

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.readings import find_origin
from rarefy.tasks.knowledge.link.linked import Corpus, make_link, new_sentences
from rarefy.tasks.text.dates import NAME, iso_day, moments

FOLLOWED, APPROVED = "was followed by", "approved minutes of"
_MEETING = "Federal Open Market Committee meeting of "
_DAYS = rf"{NAME} \d{{1,2}}(?:[-–](?:{NAME} )?\d{{1,2}})?, \d{{4}}"
_NEXT = re.compile(
    rf"next (?:regular )?meeting of the Committee would be held on (?:\w+day(?:[-–] ?\w+day)?, )?({_DAYS})"
)
# at the meeting itself, or by a vote in writing before it, of which its minutes tell
_MINUTES = re.compile(
    r"^By (?:unanimous vote|notation vote completed on \w+ \d{1,2}, \d{4}), (?:the Committee unanimously approved )?"
    r"the minutes of the (?:[\w ]+ )?meeting(?: of the Federal Open Market Committee)? "
    rf"held on ({_DAYS})(?:\.|, were approved\.)$"
)


def link_meetings(corpus: Corpus) -> Iterator[Triplet]:
    """The links between meetings of which the corpus has the minutes."""
    known = {row.subject for row in corpus.facts if row.method == "reading" and row.subject.startswith(_MEETING)}
    records = [document for document in corpus.documents if document.domain == "economics"] if known else []
    days = sorted({document.period_end for document in records if document.period_end})
    for document in records:
        for chunk in corpus.chunks[document.doc_id]:
            for start, end in new_sentences(chunk, corpus) if "meeting" in chunk.text else ():
                sentence = chunk.text[start:end]
                for pattern, relation in ((_NEXT, FOLLOWED), (_MINUTES, APPROVED)):
                    match = pattern.search(sentence)
                    origin = find_origin(document, chunk.start + start) if match else None
                    if match is None or origin is None:
                        continue
                    other = _MEETING + match[1].replace("–", "-")
                    if other not in known or other == origin.name:
                        continue
                    planned = iso_day(moments(match[1])[-1])
                    if relation == FOLLOWED and any(origin.on.isoformat() < day < planned for day in days):
                        continue  # the Committee met in between, which nobody had planned
                    fact = (origin.name, relation, other)
                    yield make_link(document, chunk, (start, end), fact, ("", ""), match[1])
