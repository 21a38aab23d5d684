"""Words that turn a statement round or bound it: each is counted by what it does, however it is said."""

import re

# what it does -> how it is said; phrases of several words stand before their parts
_SAID = {
    "MOST": "at most|no more than|not more than|up to|not exceed(?:ing)?|no later than|maximum of|a maximum of",
    "LEAST": "at least|no less than|not less than|no fewer than|not fewer than|a minimum of|minimum of|or more",
    "NOT": "no longer|not|n't|no|never|none|nobody|nothing|neither|nor|without|cannot|hardly|barely|unable|refuse[sd]?"
    "|fail(?:s|ed|ure)?|lack(?:s|ed)?|except|excluding|exclude[sd]?",
    "OVER": "more than|greater than|over|above|exceed(?:s|ed|ing)?|in excess of|higher than|larger than|longer than",
    "UNDER": "less than|fewer than|under|below|lower than|smaller than|shorter than",
    "ABOUT": "approximately|about|around|roughly|nearly|almost|some(?= \x02)|circa|an estimated",
    "MAY": "may|might|could|can|possibly|potentially|perhaps|maybe|likely|unlikely|able to|permitted|allowed",
    "MUST": "must|shall|should|ought|required|requires?|obliged|mandatory|obligated",
    "WILL": "will|would|going to|expects?|expected|plans?|planned|intends?|intended|anticipates?"
    "|anticipated|forecasts?",
    "IF": "if|provided that|assuming|in the event|whether|subject to|contingent",
    "UNLESS": "unless|until",
    "ONLY": "only|solely|exclusively|merely",
    "ALL": "all|every|each|entire|entirely|always|both|any",
    "SOME": "some|several|certain|partly|partially|sometimes|many|most|majority|few|half|part of",
    "BEFORE": "before|prior to|preceding|ahead of|earlier than",
    "AFTER": "after|following|subsequent to|since|later than",
    "WAS": "was|were|been|used to",
    "OR": "or",
    "WE": "we|us|our|ours|ourselves|i|my",
    "YOU": "you|your|yours",
    "HE": "he|him|his",
    "SHE": "she|her|hers",
    "BY": "by",
    "FROM": "from",
    "AGAINST": "against|despite|although|though|however|but|instead|rather|while|whereas",
    "CAUSE": "because|due to|owing to|caused|led|result(?:s|ed|ing)?|as a result|therefore|thus",
    "SAYS": "claim(?:s|ed)?|alleg(?:e|es|ed)|den(?:y|ies|ied)|believes?|believed|argu(?:e|es|ed)|suggest(?:s|ed)?",
    "UP": "increas(?:e|es|ed|ing)|rise|rises|rose|risen|rising|grow|grows|grew|grown|growing|growth|climb(?:s|ed)?"
    "|went up|up",
    "DOWN": "decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|fall|falls|fell|fallen|falling|drop(?:s|ped)?|went down|down",
}
_MARKS = re.compile(r"\b(?:" + "|".join(f"(?P<{name}>{said})" for name, said in _SAID.items()) + r")\b", re.IGNORECASE)

# each says the contrary of the other: where one stands for the other, the statement is another one
_CONTRARY = """
UP/DOWN OVER/UNDER MOST/LEAST BEFORE/AFTER ALL/SOME higher/lower more/less greater/smaller larger/smaller
highest/lowest largest/smallest best/worst maximum/minimum first/last gain/loss profit/loss income/expense
income/loss asset/liability buy/sell purchase/sale purchase/sell acquire/divest acquire/sell borrow/lend
borrower/lender lease/own rent/own approve/reject accept/reject accept/refuse include/omit open/close begin/end
start/end start/stop continue/cease continue/discontinue hire/dismiss strengthen/weaken expand/contract
favorable/unfavorable positive/negative domestic/foreign domestic/international inflow/outflow surplus/deficit
premium/discount secured/unsecured audited/unaudited fixed/variable fixed/floating short/long stable/volatile
able/unable same/different present/absent current/former tighten/ease hawkish/dovish win/lose enter/leave
export/import debit/credit upgrade/downgrade success/failure true/false effective/ineffective legal/illegal
significant/insignificant material/immaterial direct/indirect internal/external public/private net/gross
basic/diluted buyer/seller parent/subsidiary landlord/tenant employer/employee creditor/debtor
plaintiff/defendant for/against uphold/overturn uphold/reverse affirm/reverse affirm/overturn affirm/vacate
uphold/vacate grant/deny grant/refuse grant/reject award/deny admit/deny confirm/deny convict/acquit
guilty/innocent plead/deny sue/settle dismiss/uphold ratify/reject enact/repeal impose/lift impose/waive
pass/fail succeed/fail appoint/dismiss appoint/remove hire/fire elect/defeat join/leave arrive/depart enter/exit
gain/lose earn/lose earn/spend save/spend pay/receive send/receive give/receive give/take issue/redeem
issue/retire issue/repurchase deposit/withdraw invest/divest import/export inject/withdraw raise/lower raise/cut
raise/reduce lift/cut increase/cut increase/reduce expand/shrink accelerate/slow launch/discontinue
launch/cancel open/shut build/demolish create/destroy create/eliminate add/remove attract/repel absorb/emit
absorb/release oxidize/reduce melt/freeze melted/froze gain/charge husband/wife mother/father son/daughter
brother/sister king/queen uncle/aunt heat/cool activate/inhibit promote/inhibit stimulate/inhibit
stimulate/suppress enhance/inhibit improve/worsen improve/deteriorate exceed/miss beat/miss meet/miss
outperform/underperform overestimate/underestimate overstate/understate defeat/lose score/concede double/halve
doubled/halved marry/divorce bear/die survive/die birth/death live/die begin/cease born/died support/oppose
favor/oppose agree/disagree approve/disapprove endorse/reject praise/criticize encourage/discourage
enable/prevent enable/disable comply/violate remember/forget attack/defend connect/disconnect lock/unlock
tighten/loosen widen/narrow strengthen/erode advance/retreat ascend/descend ally/enemy north/south east/west
upper/lower inner/outer left/right hot/cold warm/cold strong/weak fast/slow faster/slower early/late
earlier/later old/young older/younger new/old rich/poor heavy/light hard/soft upstream/downstream above/below
minority/majority winner/loser victory/defeat supplier/customer lessor/lessee licensor/licensee grantor/grantee
appellant/appellee prosecution/defense teacher/student home/away permit/prohibit allow/forbid allow/prohibit
require/waive fastest/slowest oldest/youngest newest/oldest longest/shortest tallest/shortest heaviest/lightest
earliest/latest strongest/weakest richest/poorest nearest/farthest most/least biggest/smallest greatest/least
hottest/coldest expire/file
"""
CONTRARY: dict[str, set[str]] = {}
for _pair in _CONTRARY.split():
    _one, _other = _pair.split("/")
    CONTRARY.setdefault(_one, set()).add(_other)
    CONTRARY.setdefault(_other, set()).add(_one)


def marked(text: str) -> str:
    """The text with each such word as a mark, \\x04NOT\\x05."""
    text = re.sub(r"\bcan(?:no|'|’)t\b", "can not", re.sub(r"(?<=\w)n['’]t\b", " not", text, flags=re.IGNORECASE))
    return _MARKS.sub(lambda hit: f" \x04{hit.lastgroup}\x05 ", text)
