"""Two texts of the same words that say another thing are never kept both ways; the same thing said otherwise is."""

from pathlib import Path

import pytest

from rarefy.tasks.nli import NLI, NLIConfig, equivalent

# finance, law, science, sport, biography; prose and questions
WRONG = [
    ("Sales in Japan were $5 million and in China $7 million.", "Sales in China were $5 million and in Japan $7 million."),
    ("Revenue increased 5% in 2024 and 3% in 2023.", "Revenue increased 3% in 2024 and 5% in 2023."),
    ("Revenue increased 5% in 2024 and fell 3% in 2023.", "Revenue increased 3% in 2023 and fell 5% in 2024."),
    ("Tim Cook reports to Arthur Levinson.", "Arthur Levinson reports to Tim Cook."),
    ("The loan was granted by JPMorgan to Tesla.", "The loan was granted by Tesla to JPMorgan."),
    ("The decision was upheld on appeal.", "The decision was overturned on appeal."),
    ("The motion to dismiss was granted.", "The motion to dismiss was denied."),
    ("The jury convicted the broker of fraud.", "The jury acquitted the broker of fraud."),
    ("The appeals court affirmed the judgment.", "The appeals court reversed the judgment."),
    ("What was the average cost of debt in 2024?", "What was the total cost of debt in 2024?"),
    ("What was the gross margin in 2024?", "What was the net margin in 2024?"),
    ("What were the basic earnings per share in 2024?", "What were the earnings per share in 2024?"),
    ("What is the minimum lease term?", "What is the maximum lease term?"),
    ("What is the minimum lease term?", "What is the lease term?"),
    ("Who was the first president of the club?", "Who was the last president of the club?"),
    ("Who was the first president of the club?", "Who was the president of the club?"),
    ("Which company supplies Nvidia?", "Which company does Nvidia supply?"),
    ("Who coached Brady?", "Who did Brady coach?"),
    ("Which team beat Arsenal in 2004?", "Which team did Arsenal beat in 2004?"),
    ("Which bank lends to Ford?", "Which bank does Ford lend to?"),
    ("Who taught Aristotle?", "Whom did Aristotle teach?"),
    ("How many shares did Microsoft buy from Apple in 2023?", "How many shares did Apple buy from Microsoft in 2023?"),
    ("What was AMD's revenue in 2024 compared to Intel's in 2023?", "What was AMD's revenue in 2023 compared to Intel's in 2024?"),
    ("Who is the chief executive officer of Apple?", "Who was the chief executive officer of Apple?"),
    ("Federer beat Nadal in the final.", "Nadal beat Federer in the final."),
    ("Spain won 2 matches and Italy won 5 matches.", "Spain won 5 matches and Italy won 2 matches."),
    ("Ajax lost to Porto in Lisbon.", "Porto lost to Ajax in Lisbon."),
    ("The keeper moved from Leeds to Burnley in 2011.", "The keeper moved from Burnley to Leeds in 2011."),
    ("She scored 12 goals in 2019 and 8 in 2020.", "She scored 8 goals in 2019 and 12 in 2020."),
    ("The visitors won the match.", "The visitors lost the match."),
    ("Curie was born in Warsaw and died in Passy.", "Curie was born in Passy and died in Warsaw."),
    ("Darwin was born in 1809 and died in 1882.", "Darwin was born in 1882 and died in 1809."),
    ("Watson wrote to Crick about the model.", "Crick wrote to Watson about the model."),
    ("He succeeded Smith as dean.", "Smith succeeded him as dean."),
    ("Mill was the pupil of Bentham.", "Bentham was the pupil of Mill."),
    ("Bohr studied under Rutherford.", "Rutherford studied under Bohr."),
    ("The enzyme activates the receptor.", "The receptor activates the enzyme."),
    ("The drug inhibits cell growth.", "The drug promotes cell growth."),
    ("Plants absorb carbon dioxide and release oxygen.", "Plants release carbon dioxide and absorb oxygen."),
    ("Copper conducts heat better than iron.", "Iron conducts heat better than copper."),
    ("The mean dose was 40 mg and the median dose was 35 mg.", "The mean dose was 35 mg and the median dose was 40 mg."),
    ("The sample melted at 80 degrees.", "The sample froze at 80 degrees."),
    ("Mercury is closer to the Sun than Venus.", "Venus is closer to the Sun than Mercury."),
    ("Water boils at 100 degrees and freezes at 0 degrees.", "Water boils at 0 degrees and freezes at 100 degrees."),
    ("The treated group gained 3 kg and the control group 1 kg.", "The treated group gained 1 kg and the control group 3 kg."),
    ("The Company guaranteed the debt of its subsidiary.", "The subsidiary guaranteed the debt of the Company."),
    ("Sales were lower than costs in Europe.", "Costs were lower than sales in Europe."),
    ("Sales grew faster than expenses.", "Expenses grew faster than sales."),
    ("The auditors, not the board, approved it.", "The board, not the auditors, approved it."),
    ("The Company sold its office in Dublin and bought one in Cork.", "The Company sold its office in Cork and bought one in Dublin."),
    ("Only Class A shares carry votes.", "Class A shares carry only votes."),
    ("The lender paid the borrower $5 million.", "The borrower paid the lender $5 million."),
    ("Net sales rose to $8 million from $6 million.", "Net sales rose to $6 million from $8 million."),
    ("Tesla leased the plant to Panasonic.", "Panasonic leased the plant to Tesla."),
    ("The bank opened 30 branches and closed 12.", "The bank opened 12 branches and closed 30."),
    ("The bank opened 30 branches.", "The bank closed 30 branches."),
    ("Interest rates rose in May and fell in June.", "Interest rates fell in May and rose in June."),
    ("The tenant shall indemnify the landlord.", "The landlord shall indemnify the tenant."),
    ("Smith assigned the patent to Jones.", "Jones assigned the patent to Smith."),
    ("The plaintiff owes the defendant $40,000.", "The defendant owes the plaintiff $40,000."),
    ("Section 5 prevails over Section 7.", "Section 7 prevails over Section 5."),
    ("The treaty was signed before the war.", "The war was signed before the treaty."),
    ("The board elected Lopez as chair and Kim as secretary.", "The board elected Kim as chair and Lopez as secretary."),
    ("Diluted earnings per share were $2.10.", "Earnings per share were $2.10."),
    ("The total dose was 40 mg.", "The average dose was 40 mg."),
    ("Capital expenditures were $12 million in Texas and $9 million in Ohio.", "Capital expenditures were $9 million in Texas and $12 million in Ohio."),
    ("Operating expenses of Ford exceeded those of Fiat.", "Operating expenses of Fiat exceeded those of Ford."),
    ("How much did Pfizer pay Moderna in 2022?", "How much did Moderna pay Pfizer in 2022?"),
    ("When did Chelsea sell Hazard to Madrid?", "When did Madrid sell Hazard to Chelsea?"),
    ("What share of Renault does Nissan own?", "What share of Nissan does Renault own?"),
    ("What was the highest temperature in Oslo in 2020?", "What was the lowest temperature in Oslo in 2020?"),
    ("By how much did imports exceed exports in 2023?", "By how much did exports exceed imports in 2023?"),
    ("Was the claim admitted by the insurer?", "Was the claim denied by the insurer?"),
    ("The large supplier sued the small dealer.", "The small supplier sued the large dealer."),
    ("Exports to Brazil rose 4% while exports to Chile rose 9%.", "Exports to Brazil rose 9% while exports to Chile rose 4%."),
]  # fmt: skip
RIGHT = [
    ("Apple acquired Beats in 2014.", "Beats was acquired by Apple in 2014."),
    ("The board approved the merger in May.", "The merger was approved by the board in May."),
    ("The court dismissed the complaint.", "The complaint was dismissed by the court."),
    ("Nadal won the title in 2008.", "The title was won by Nadal in 2008."),
    ("Rutherford discovered the nucleus in 1911.", "The nucleus was discovered by Rutherford in 1911."),
    ("Net sales rose 12% in 2021.", "In 2021, net sales rose 12%."),
    ("In 2024, the Company opened 30 stores in Peru.", "The Company opened 30 stores in Peru in 2024."),
    ("During the year, demand for pumps increased.", "Demand for pumps increased during the year."),
    ("The board didn't approve the merger.", "The board did not approve the merger."),
    ("We can't predict the outcome.", "We cannot predict the outcome."),
    ("Sales increased 12% in 2021.", "Sales rose 12 percent in 2021."),
    ("The shareholders met in Oslo.", "The stockholders met in Oslo."),
    ("Revenue was $1.5 billion in fiscal 2023.", "In fiscal 2023, revenue was 1,500 million dollars."),
    ("The notes mature on March 1, 2031.", "The notes mature on 2031-03-01."),
    ("The plant employs twenty-five people.", "The plant employs 25 people."),
    ("The rate was raised by 50 basis points.", "The rate was raised by 0.5 percentage points."),
    ("Margins fell in Q3 2022 at Acme.", "Margins fell in the third quarter of 2022 at Acme."),
    ("Costs may exceed $3 million.", "Costs could exceed $3m."),
    ("What was Apple's revenue in 2024?", "In 2024, what was Apple's revenue?"),
    ("What was Apple's revenue in 2024?", "What was the revenue of Apple in 2024?"),
    ("What were the net sales of Target in fiscal 2023?", "For Target, what were the net sales in fiscal 2023?"),
    ("What were the net sales of Target in fiscal 2023?", "Can you tell me what the net sales of Target were in fiscal 2023?"),
    ("Who founded Microsoft?", "By whom was Microsoft founded?"),
    ("Which company acquired Mellanox in 2020?", "Mellanox was acquired by which company in 2020?"),
    ("When did Apple acquire Beats?", "When was Beats acquired by Apple?"),
    ("How many employees does Ford have?", "How many employees does Ford have, please?"),
    ("Sales and costs rose in Europe.", "Costs and sales rose in Europe."),
    ("Because holiday demand is seasonal, net sales of the stores in Oslo are higher in the first quarter.",
     "Owing to seasonal demand around the holidays, the Oslo stores have higher net sales in the first quarter."),
    ("The Company leases its offices from Globex.", "The Company's offices are leased from Globex."),
    ("The drug was approved in 2019 in Japan.", "In 2019, the drug was approved in Japan."),
    ("Darwin was born in 1809 and died in 1882.", "Darwin was born in 1809, and he died in 1882."),
    ("The team that won the cup in 1998 was France.", "The team which won the cup in 1998 was France."),
    ("Prior to the merger, Acme had 40 stores.", "Before the merger, Acme had 40 stores."),
    ("The Company purchased the building for $4 million.", "The Company bought the building for $4 million."),
    ("|  | 2024 | 2023 |\n|---|---|---|\n| Net sales | 5 | 6 |\n| Cost | 7 | 8 |",
     "Net sales came to 5 in 2024 and 6 in 2023.\nCost came to 7 in 2024 and 8 in 2023."),
    ("|  | 2024 | 2023 |\n|---|---|---|\n| Net sales | 5 | 6 |\n| Cost | 7 | 8 |",
     "|  | 2023 | 2024 |\n|---|---|---|\n| Net sales | 6 | 5 |\n| Cost | 8 | 7 |"),
]  # fmt: skip
BEFORE = 0  # of the right pairs were kept both ways by the rules before they looked at places


@pytest.fixture(scope="module")
def nli(tmp_path_factory: pytest.TempPathFactory) -> NLI:
    return NLIConfig().connect(tmp_path_factory.mktemp("nli"))


def kept(nli: NLI, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    labels = list(nli([pair for a, b in pairs for pair in ((a, b), (b, a))]))
    return [pair for at, pair in enumerate(pairs) if equivalent(labels[2 * at], labels[2 * at + 1])]


def test_no_pair_of_another_meaning_is_kept_both_ways(nli: NLI) -> None:
    assert len(WRONG) >= 60
    found = kept(nli, WRONG)
    print(f"{len(found)} of {len(WRONG)} wrong pairs kept both ways")
    assert found == []


def test_the_same_said_otherwise_is_still_kept_both_ways(nli: NLI) -> None:
    assert len(RIGHT) >= 30
    found = kept(nli, RIGHT)
    print(f"{len(found)} of {len(RIGHT)} right pairs kept both ways")
    assert len(found) >= BEFORE, [pair for pair in RIGHT if pair not in found]
