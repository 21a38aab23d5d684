"""The language of a document is what its prose is surely in, whatever a template, a record or nobody says."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from rarefy.data_contracts.rows import Block, Document
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.language import _load_identifier, detect_language, is_english, sample_prose
from rarefy.tasks.corpus.read.metadata import normalise_document

CORPORA = Path(__file__).parents[5] / "shared" / "corpora"
# The first article of the Universal Declaration of Human Rights, and the second's beginning
ENGLISH = (
    "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and "
    "should act towards one another in a spirit of brotherhood. Everyone is entitled to all the rights and freedoms "
    "set forth in this Declaration, without distinction of any kind."
)
FRENCH = (
    "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de "
    "conscience et doivent agir les uns envers les autres dans un esprit de fraternité. Chacun peut se prévaloir de "
    "tous les droits et de toutes les libertés proclamés dans la présente Déclaration."
)
OTHERS = {
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt "
    "und sollen einander im Geist der Brüderlichkeit begegnen.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y "
    "conciencia, deben comportarse fraternalmente los unos con los otros.",
    "hi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है । उन्हें बुद्धि और "
    "अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए ।",
    "ja": "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、"
    "理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。"
    "すべて人は、いかなる事由による差別をも受けることなく、"
    "この宣言に掲げるすべての権利と自由とを享有することができる。",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и "
    "должны поступать в отношении друг друга в духе братства.",
    "zh": "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。"
    "人人有资格享有本宣言所载的一切权利和自由,不分种族、肤色、性别、语言、宗教、政治或其他见解、"
    "国籍或社会出身、财产、出生或其他身分等任何区别。",
}


def paragraphs(*texts: str, kind: str = "text") -> Document:
    blocks, at = [], 0
    for text in texts:
        blocks.append(Block(kind, at, at + len(text)))
        at += len(text) + 2
    return Document("a", "0" * 16, "a.txt", "A", "text/plain", "\n\n".join(texts), tuple(blocks))


def found(document: Document) -> str:
    return detect_language(document.text, document.blocks)


@pytest.mark.parametrize(("code", "text"), [("en", ENGLISH), ("fr", FRENCH), *OTHERS.items()])
def test_prose_says_its_language(code: str, text: str) -> None:
    assert found(paragraphs(text)) == code
    assert normalise_document(paragraphs(text)).language == code


@pytest.mark.parametrize(
    "document",
    [
        paragraphs("Bonjour tout le monde."),
        paragraphs(FRENCH, kind="table"),
        paragraphs("```\n" + FRENCH + "\n```"),
        paragraphs("| " + FRENCH + " |"),
        paragraphs("AX-11 2,345 (77) 12% B.4 99-12 4,556 $12 €44 3/4 2021 2022 2023 " * 20),
        paragraphs(*[ENGLISH, FRENCH] * 5),
    ],
    ids=["short", "table", "listing", "row", "codes", "half and half"],
)
def test_what_is_short_mixed_or_no_prose_stays_as_it_is(document: Document) -> None:
    assert found(document) == "" and normalise_document(document).language == "en"
    assert normalise_document(replace(document, language="pt-BR")).language == "pt"


def test_a_few_foreign_paragraphs_make_no_foreign_document() -> None:
    assert found(paragraphs(*[ENGLISH] * 8, FRENCH, OTHERS["de"])) == "en"


@pytest.mark.parametrize(
    ("said", "text", "language", "as_given"),
    [
        ({"language": "en"}, FRENCH, "fr", "en"),
        ({"lang": "German"}, FRENCH, "fr", "German"),
        ({"language": "fr-CA"}, FRENCH, "fr", ""),
        ({}, FRENCH, "fr", ""),
        ({"language": "de"}, "Bonjour tout le monde.", "de", ""),
        ({"language": "python"}, ENGLISH, "en", "python"),
    ],
)
def test_prose_wins_over_what_a_record_says_which_is_kept(
    tmp_path: Path, said: dict[str, str], text: str, language: str, as_given: str
) -> None:
    (tmp_path / "r.jsonl").write_text(json.dumps({"text": text} | said))
    (document,) = read_corpus(tmp_path, ReadConfig())
    assert isinstance(document, Document)
    assert (document.language, document.metadata.get("language_as_given", "")) == (language, as_given)
    assert "language" not in document.metadata


def test_what_a_reader_puts_into_metadata_is_what_the_source_says() -> None:
    made = normalise_document(replace(paragraphs(FRENCH), metadata={"language": "en-US"}))
    assert made.language == "fr" and made.metadata == {"language_as_given": "en-US"}
    norwegian = (
        "Alle mennesker er født frie og med samme menneskeverd og menneskerettigheter. De er utstyrt med fornuft "
    )
    norwegian += "og samvittighet og bør handle mot hverandre i brorskapets ånd."
    assert normalise_document(replace(paragraphs(norwegian), metadata={"language": "nb"})).language == "nb"


def test_a_long_document_is_sampled_all_over() -> None:
    document = paragraphs(*[FRENCH] * 20, *[ENGLISH] * 2_000)
    assert len(sample_prose(document.text, document.blocks)) == 30 and found(document) == "en"


def test_rules_for_english_read_english_and_what_is_unknown() -> None:
    assert [code for code in ("en", "en-GB", "EN", "", "fr", "enm", "und") if is_english(code)] == [
        "en",
        "en-GB",
        "EN",
        "",
    ]


def test_the_model_is_the_detectors_own() -> None:
    own = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    own.set_languages(_load_identifier().labels)
    for text in (ENGLISH, FRENCH, *OTHERS.values(), "12", ""):
        assert own.rank(text) == _load_identifier().rank(text)


@pytest.mark.skipif(not CORPORA.is_dir(), reason="needs the real documents in shared/corpora")
@pytest.mark.parametrize("folder", ["economics/fomc-minutes", "policy/ecfr-title24", "unseen", "finance/10k-json"])
def test_no_english_document_is_taken_for_another(folder: str) -> None:
    documents = [row for row in read_corpus(CORPORA / folder, ReadConfig()) if isinstance(row, Document)]
    assert documents and {document.language for document in documents} == {"en"}
