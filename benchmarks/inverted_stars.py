"""python -m rarefy.benchmarks.inverted_stars BENCH: how many inverted stars do the facts of a benchmark hold at most?

Counted plainly, from the table of triplets alone. Of the companies with one auditor, exchange or state one is named and
another is asked for; where several are left, a second thing that the answer alone of them has must single it out, which
at least one company outside of them has too. Two that single out one answer by the same two things are one question,
whichever company is named.
"""

import sys
from collections import defaultdict

import pyarrow.parquet as pq

TRAITS = ("is audited by", "is listed on", "is incorporated in", "is based in", "is headquartered in")


def main(bench: str) -> None:
    holders: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for row in pq.read_table(f"{bench}/triplets.parquet").to_pylist():
        if row["relation"] in TRAITS and row["subject"] == row["entity"] and not row["rejected_because"]:
            holders[row["relation"], row["object_key"]].add(row["subject_key"])
    questions: set[tuple[str, ...]] = set()
    for shared, companies in holders.items():
        for named in companies:
            others = companies - {named}
            if len(others) == 1:
                questions.add((*others, *shared))
            for trait, having in holders.items():
                left = others & having
                if trait[0] != shared[0] and len(left) == 1 and len(others) > 1 and len(having - {named}) > 1:
                    questions.add((*left, *sorted((*shared, *trait))))
    asked = pq.read_table(f"{bench}/questions.parquet").to_pylist()
    accepted = sum(row["pattern"] == "inverted_star" and not row["rejected_because"] for row in asked)
    print(f"things that companies share: {sum(len(companies) > 1 for companies in holders.values())}")
    print(f"inverted stars that they hold at most: {len(questions)}; accepted: {accepted}")


if __name__ == "__main__":
    main(sys.argv[1])
