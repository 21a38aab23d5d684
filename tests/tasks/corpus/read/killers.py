"""Texts made to be slow to read, each of about as many characters as it is asked for."""

from collections.abc import Callable

S = "The agency shall pay the grant to the applicant within 30 days of the notice. "


def html(body: str) -> str:
    return f"<html><body><p>{S}</p>{body}</body></html>"


def rows(*cells: str) -> str:
    return "".join(f"<tr>{row}</tr>" for row in cells)


def table(*cells: str) -> str:
    return html(f"<table>{rows(*cells)}</table>")


def diagonal(n: int) -> str:
    """A figure in each row, each in a column of its own, by wide empty cells before it."""
    return table(
        *(
            "<td colspan=400></td>" * (i // 400) + f"<td colspan={i % 400 + 1}></td><td>7</td><td>8</td>"
            for i in range(int((n * 16) ** 0.5))
        )
    )


KILLERS: dict[str, Callable[[int], str]] = {
    "one_wide_row.html": lambda n: table("<td>12</td>" * (n // 11)),
    "wide_header.html": lambda n: table("<th>2020</th>" * (n // 30), "<td>12</td>" * (n // 18)),
    "many_rows.html": lambda n: table(*["<td>Revenue</td><td>1,234</td><td>(5)</td><td>%</td>"] * (n // 62)),
    "bold_rows.html": lambda n: table(*["<td></td><td><b>Name</b></td>"] * (n // 40), "<td>a</td><td>1</td>"),
    "period_rows.html": lambda n: table("<td></td><td>N</td>", *["<td>2020</td>", "<td>a</td><td>1</td>"] * (n // 50)),
    "spans.html": lambda n: table(*["<td colspan=1000>ab</td><td rowspan=60000>12</td>"] * (n // 60)),
    "row_spans.html": lambda n: table("<td rowspan=200>ab 1</td>" * 50, *["<td rowspan=200>ab</td>"] * (n // 35)),
    "diagonal.html": diagonal,
    "tables.html": lambda n: table("<td>Revenue</td><td>1</td>", "<td>Cost</td><td>2</td>") * (n // 150),
    "nested.html": lambda n: html("<div>" * (n // 5)),
    "nested_tables.html": lambda n: html("<table><tr><td>" * 60 + "a b c d. " * (n // 9)),
    "attributes.html": lambda n: html("<p " + " ".join(f'a{i}="b"' for i in range(n // 10)) + ">a</p>"),
    "paragraphs.html": lambda n: html("<p>a b c d</p>" * (n // 14)),
    "breaks.html": lambda n: html("<br>" * (n // 4)),
    "comments.html": lambda n: html("<!-- a -->" * (n // 10)),
    "styles.html": lambda n: html("".join(f'<p style="margin-left:{i}pt">a b c.</p>' for i in range(n // 45))),
    "preformatted.html": lambda n: html("<pre>" + "Revenue     12     13\n" * (n // 22) + "</pre>"),
    "one_line.txt": lambda n: S * (n // len(S)),
    "no_stop.txt": lambda n: "the grant was paid to applicants and others in the city " * (n // 56),
    "no_space.txt": lambda n: S + "a" * n,
    "dots.txt": lambda n: S + "." * n + "x",
    "dots_apart.txt": lambda n: S + ". " * (n // 2),
    "brackets_after_a_stop.txt": lambda n: S + "a." + ")" * n + "B",
    "hyphens.txt": lambda n: S + "a-\n" * (n // 3),
    "pages.txt": lambda n: "<SEC-DOCUMENT>\n<DOCUMENT>\n<TYPE>10-K\n<TEXT>\n" + S + "<PAGE>\n" * (n // 7),
    "paragraphs.txt": lambda n: S + "\n\n" + "A b c d.\n\n" * (n // 10),
    "columns.txt": lambda n: S + "\n" + "Revenue   12   13\n" * (n // 18),
    "wide_columns.txt": lambda n: S + "\n" + ("Revenue" + "   12" * (n // 15) + "\n") * 3,
    "words_in_columns.txt": lambda n: S + "".join(f"\nR{i}{' ' * (i % 50 + 3)}12   13   w" for i in range(n // 45)),
    "spaces.txt": lambda n: S + " " * n + "x",
    "tabs.txt": lambda n: S + "\t" * n + "x",
    "dates.txt": lambda n: S + " January 1, 2020" * (n // 16),
    "initials.txt": lambda n: S + "A. " * (n // 3),
    "titles.txt": lambda n: "Aa of the " * (n // 10) + "The end is near.",
    "backticks.md": lambda n: S + "`a" * (n // 2),
    "stars.md": lambda n: S + "**a *b " * (n // 7),
    "links.md": lambda n: S + "[a](b " * (n // 6),
    "images.md": lambda n: S + "![a]" * (n // 4),
    "hyphens.md": lambda n: S + "\n\n" + "a-\n" * (n // 3),
    "wide_pipes.md": lambda n: S + "\n\n" + "| a " * (n // 8) + "|\n" + "|---" * (n // 8) + "|\n",
    "ragged_pipes.md": lambda n: S + "\n\n" + "|a" * (n // 8) + "|\n" + "|-" * (n // 8) + "|\n" + "|b|\n" * (n // 8),
    "pipes.md": lambda n: S + "\n\n| a | b |\n|---|---|\n" + "| x | 12 |\n" * (n // 11),
    "rule_that_is_none.md": lambda n: S + "\n\n|\n" + "-" * n + "x\n",
    "fences.md": lambda n: S + "\n\n" + "```\n" * (n // 4) + "~~~\n",
    "open_fences.md": lambda n: S + "\n\n" + "```a\n~~~b\n" * (n // 10),
    "open_comments.md": lambda n: S + "\n\n" + "<!--" * (n // 4),
    "quotes.md": lambda n: S + "\n\n" + "> " * (n // 2) + "a",
    "headings.md": lambda n: S + "\n\n" + "###### a b\n\ntext\n\n" * (n // 18),
    "deep.json": lambda n: '{"text":"' + S * 3 + '","a":' + "[" * (n // 2) + "]" * (n // 2) + "}",
    "wide.json": lambda n: '{"text":"' + S * 3 + '",' + ",".join(f'"k{i}":1' for i in range(n // 10)) + "}",
    "huge_line.jsonl": lambda n: '{"text":"' + S * (n // len(S)) + '"}\n',
    "commas.txt": lambda n: "a,b,c\n" + "1,2,three four five six\n" * (n // 24),
}  # fmt: skip
