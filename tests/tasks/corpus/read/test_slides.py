import io
import zipfile

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.slides import read_pptx
from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable


def read(presentation: object) -> Document:
    out = io.BytesIO()
    presentation.save(out)  # type: ignore[attr-defined]
    content = out.getvalue()
    return read_pptx(content, "talks/a.pptx", UnpackedSize(len(content), 10**9, 200))


def test_a_slide_gives_its_title_texts_table_chart_and_notes_at_its_place() -> None:
    deck = Presentation()
    deck.slides.add_slide(deck.slide_layouts[6])  # nothing on it
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Results of the year"
    slide.placeholders[1].text = "Sales rose\nCosts fell"
    table = slide.shapes.add_table(3, 3, Inches(1), Inches(5), Inches(4), Inches(1)).table
    for row, values in enumerate([["", "2024", ""], ["", "Plan", "Actual"], ["North", "10", "12"]]):
        for column, value in enumerate(values):
            table.cell(row, column).text = value
    table.cell(0, 1).merge(table.cell(0, 2))
    data = CategoryChartData(number_format="0.0%")
    data.categories = ["Q1", "Q2"]
    data.add_series("Share", (0.125, 0.25))
    slide.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(7), Inches(4), Inches(3), data
    ).chart.has_title = False
    slide.notes_slide.notes_text_frame.text = "Say why costs fell."
    hidden = deck.slides.add_slide(deck.slide_layouts[5])
    hidden.shapes.title.text = "Not for the audience"
    hidden.element.set("show", "0")

    document = read(deck)
    assert document.text.split("\n\n") == [
        "# Results of the year",
        "- Sales rose\n- Costs fell",
        "|  | 2024 Plan | 2024 Actual |\n|---|---|---|\n| North | 10 | 12 |",
        "|  | Share |\n|---|---|\n| Q1 | 12.5% |\n| Q2 | 25.0% |",
        "Speaker notes: Say why costs fell.",
    ]
    assert {place.name for place in document.places} == {"slide 2"} and len(document.places) == 5
    assert document.title == "Results of the year" and document.dropped == {"hidden_slides": 20}


def test_shapes_are_read_from_top_to_bottom_and_groups_from_inside_out() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    for words, left, top in (("third", 1, 4), ("second", 5, 1.05), ("first", 1, 1.1)):
        slide.shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(1)).text_frame.text = words
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(6), Inches(2), Inches(1)).text_frame.text = "fourth, in a group"
    assert read(deck).text.split("\n\n") == ["# first", "second", "third", "fourth, in a group"]


def test_a_part_that_is_no_xml_is_told_so() -> None:
    out, broken = io.BytesIO(), io.BytesIO()
    Presentation().save(out)
    with zipfile.ZipFile(out) as whole, zipfile.ZipFile(broken, "w") as packed:
        for name in whole.namelist():
            packed.writestr(name, whole.read(name).replace(b"<p:cSld", b"<p:cSld <", 1))
    with pytest.raises(Unreadable, match="bad_part"):
        read_pptx(broken.getvalue(), "a.pptx", UnpackedSize(10**6, 10**9, 200))
