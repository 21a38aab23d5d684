from rarefy.tasks.export.statistics import Statistics, count_statistics, render_statistics, sum_statistics

# RARE, Appendix E
RARE = (
    Statistics(
        "financial", 199, 19_825, (2024, 2025),
        {"single": 17_585, "chain": 11_193, "star": 2_707, "inverted_star": 558},
        {"single": 7_362, "chain": 7_930, "star": 833, "inverted_star": 64},
        {"single": 1_000, "chain": 687, "star": 289, "inverted_star": 24},
    ),
    Statistics(
        "economics", 114, 12_915, (2020, 2025),
        {"single": 6_719, "chain": 22_256, "star": 1_780, "inverted_star": 2_636},
        {"single": 6_715, "chain": 3_863, "star": 511, "inverted_star": 415},
        {"single": 1_000, "chain": 774, "star": 193, "inverted_star": 33},
    ),
    Statistics(
        "policy", 214, 7_014, (2024, 2025),
        {"single": 6_176, "chain": 82_885, "star": 4_868, "inverted_star": 7_377},
        {"single": 6_125, "chain": 7_563, "star": 661, "inverted_star": 253},
        {"single": 1_000, "chain": 805, "star": 135, "inverted_star": 60},
    ),
)  # fmt: skip


def cells(markdown):
    rows = [line.strip("| \n").split(" | ") for line in markdown.splitlines()[2:]]
    return [(row[0].strip("*"), [cell.strip("*") for cell in row[1:]]) for row in rows]


def test_the_sums_of_rare_come_out():
    every = sum_statistics(RARE)
    train, test = sum(every.train.values()), sum(every.test.values())
    assert (train, test, train + test) == (42_295, 6_000, 48_295)
    assert (every.documents, every.chunks, every.years) == (527, 39_754, (2020, 2025))


def test_the_table_is_that_of_appendix_e_with_its_sums():
    rows = cells(render_statistics(RARE))
    assert rows[0] == ("Documents", ["199", "114", "214", "527"])
    assert rows[1] == ("Chunks", ["19,825", "12,915", "7,014", "39,754"])
    assert rows[2] == ("Time scope", ["2024–2025", "2020–2025", "2024–2025", "2020–2025"])
    assert rows[4] == ("Single-hop", ["17,585", "6,719", "6,176", "30,480"])
    assert rows[8] == ("Questions, train", ["16,189", "11,504", "14,602", "42,295"])
    assert rows[13] == ("Questions, test", ["2,000", "2,000", "2,000", "6,000"])
    assert rows[17] == ("Inverted-star-shaped (multi-hop)", ["24", "33", "60", "117"])
    assert len(rows) == 18


def test_one_domain_needs_no_sum():
    assert cells(render_statistics(RARE[:1]))[0] == ("Documents", ["199"])


def test_a_pattern_from_outside_has_a_row_of_its_own():
    assert ("triangle", ["3"]) in cells(render_statistics([Statistics("policy", 1, 1, train={"triangle": 3})]))


def test_what_is_counted_is_what_the_tables_hold(tables):
    economics, finance = count_statistics(tables, {"finance": {"single": 40}})
    assert (finance.domain, finance.documents, finance.chunks, finance.years) == ("finance", 3, 4, (2024, 2024))
    assert finance.eligible == {"single": 40} and economics.eligible == {}
    assert finance.test == {"chain": 1, "inverted_star": 1, "single": 1} and finance.train == {"star": 1}
    assert (economics.documents, economics.years, sum(economics.test.values())) == (1, (2015, 2015), 1)
