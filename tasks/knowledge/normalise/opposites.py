"""Words that make two relations two, however near an embedding puts them: sides, directions, qualifiers, numbers."""

import re
from functools import cache

from rarefy.tasks.text.names import plain
from rarefy.tasks.text.stems import stem

# A line is a family, "|" parts its sides; words of one side may stand for one another. A side also differs from none:
# "net sales" is not "sales". Embeddings put all of these above 0.9 in some pair of labels.
FAMILIES = """
increase rise rose risen grow grew grown growth gain up higher raise expand improve strengthen appreciate surge climb
  add advance accelerate | decrease decline fall fell fallen shrink shrank drop down lower cut reduce reduction contract
  worsen weaken depreciate slow decelerate loss lose lost
basic | diluted
current | noncurrent
short shortterm near | long longterm
gross | net
asset | liability | equity
before prior pre pretax precede predecessor | after post aftertax follow succeed successor | during | since | until
domestic | foreign international overseas | global worldwide
receivable receive received | payable pay paid
buy bought purchase acquire acquisition | sell sold sale dispose disposal divest divestiture
issue issuance | repurchase redeem redemption retire buyback
borrow borrower debtor | repay repayment | lend lent lender creditor
lessee | lessor
debit | credit
revenue | cost | expense | income | profit | earning | margin | cash | debt | tax
accumulated | accrued | deferred | prepaid
restricted | unrestricted
tangible | intangible
continuing | discontinued
comprehensive
weighted
plant
provide generate | use
operating operation | investing investment | financing
fixed | variable floating
realized | unrealized
granted grant | vested vest | unvested nonvested | forfeited forfeit | exercised exercise exercisable | outstanding
minimum least | maximum most | average mean median
more | less fewer
high | low
beginning opening open begin began begun start | ending closing close end
parent own owner | subsidiary owned
employer | employee
supplier supply vendor | customer demand client buyer | seller
plaintiff | defendant
hire appoint elect | fire dismiss remove resign
common | preferred
total | subtotal | other | remaining
actual | expected expect estimated estimate projected | adjusted | gaap
approve accept allow permit support agree | reject deny refuse prohibit forbid oppose object disagree
include including | exclude excluding
tighten | ease
inflation | deflation
import | export
employment | unemployment
quarter quarterly | year annual annually yearly | month monthly | day daily | week weekly
percent percentage % rate ratio | $ dollar amount
first 1st | second 2nd | third 3rd | fourth 4th | fifth | last final | next
one once single | two twice double both | three triple | four | five | six | seven | eight | nine | ten | half
not no never non without neither nor none cannot n't fail
may might could can possible | will would shall plan intend | must should require
be is are was were been being
in on at within | as | by | to into toward | from | of | for | against | with | between
  | under below | over above | than | per
have has had | do does did
"""

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:[.,]\d+)*|[%$]")
_BRACKETED = re.compile(r"\(([^()]*)\)")  # "(income) expense" counts with the other sign than "income (expense)"
_JOINED = re.compile(r"\b(non|pre|post|after|short|long|sub)[- ](?=current|vested|operating|tax|term|total|gaap)")


def _sides() -> dict[str, str]:
    sides: dict[str, str] = {}
    lines = re.sub(r"\n  ", " ", FAMILIES.strip()).splitlines()
    for number, line in enumerate(lines):
        for side, words in enumerate(line.split("|")):
            sides.update((word, f"{number}.{side}") for word in words.split())
    return sides


SIDES = _sides()
_BY_STEM: dict[str, set[str]] = {}
for _word, _side in SIDES.items():
    _BY_STEM.setdefault(stem(_word), set()).add(_side)


@cache
def signature(label: str) -> tuple[str, ...]:
    """What a label has of such words and numbers: labels merge only where this is the same."""
    text = _JOINED.sub(r"\1", plain(label))
    found = {f"({words})" for words in _BRACKETED.findall(text)}
    for word in _WORD.findall(text):
        if word[0].isdigit():
            found.add(word.replace(",", ""))
            continue
        if word.endswith("n't"):
            found.add(SIDES["not"])
        if word.startswith(("non", "un", "dis")) and len(word) > 5 and word not in SIDES:
            found.add(f"{word[:2]}-")
        found.update([SIDES[word]] if word in SIDES else _BY_STEM.get(stem(word), ()))
    return tuple(sorted(found))
