from rarefy.tasks.corpus.read.rst import read_rst

PAGE = """\
:Author: Jane Doe
:Date: 2024-03-05
:Company: Acme Pumps

.. module:: pumps
   :synopsis: All about pumps.

===========
The Manual
===========

.. contents:: Inside

.. toctree::
   :maxdepth: 2

   intro

Starting
========

A pump is started with :func:`~acme.pumps.start`, see :ref:`the guide <guide>` and :issue:`17`, ``code`` and *more*.

.. versionadded:: 3.1
   The key *force*.

.. function:: start(pump, force=False)

   Start a pump, and wait for :class:`.Water`.

.. acme-box:: Beware of |unknown|
   :level: high

   What no program knows keeps `its words`_.

.. code-block:: python
   :emphasize-lines: 1
   :caption: example

   start(7)

.. note::

   The pump must be filled before.

+-------+--------+
| Pump  | Litres |
+=======+========+
| A 7   | 1,200  |
+-------+--------+
| A 9   | 1,800  |
+-------+--------+

.. include:: /etc/passwd
.. raw:: html

   <b>raw</b>

.. csv-table:: Stocks
   :file: /etc/passwd

.. comment that nobody sees
"""


def test_words_of_directives_and_roles_stay_and_nothing_is_said_about_them() -> None:
    text = read_rst(PAGE, "a.rst").text
    for words in (
        "A pump is started with start, see the guide and issue 17, code and more.",
        "Added in version 3.1",
        "The key force.",
        "start(pump, force=False)",
        "Start a pump, and wait for Water.",
        "Beware of unknown",
        "What no program knows keeps its words.",
        "start(7)",
        "The pump must be filled before.",
        "| A 7 | 1,200 |",
    ):
        assert words in text
    for litter in (
        "Unknown",
        "Error",
        "system",
        "::",
        "intro",
        ":level:",
        "root:",
        "raw",
        "nobody",
        "Inside",
        "`",
        "|unk",
    ):
        assert litter not in text


def test_the_fields_at_the_head_are_metadata() -> None:
    document = read_rst(PAGE, "a.rst")
    assert (document.title, document.as_of, document.entity) == ("The Manual", "2024-03-05", "Acme Pumps")
    assert document.metadata["author"] == "Jane Doe"


def test_a_head_as_of_a_mail_names_the_document_and_stays_a_line_each() -> None:
    head = "PEP: 588\nTitle: GitHub Issues\n Migration Plan\nAuthor: Mariatta\nBDFL-Delegate: Barry Warsaw\n"
    document = read_rst(f"{head}\n.. note:: It is done.\n\nAbstract\n========\n\nThe plan.\n", "pep-0588.rst")
    assert document.title == "PEP 588 – GitHub Issues Migration Plan"
    assert "Author: Mariatta\n\nBDFL-Delegate: Barry Warsaw\n\nNote\n\nIt is done." in document.text
    untitled = read_rst("One: a\nTwo: b\nThree: c\n\nHead\n====\n\nWords.\n", "a.rst")
    assert untitled.title == "Head" and "One: a Two: b" in untitled.text


def test_sections_and_lists_keep_their_form() -> None:
    document = read_rst("Top\n===\n\nFirst of all words.\n\nBelow\n-----\n\n- one thing\n- another thing\n", "a.rst")
    assert [(block.kind, block.section) for block in document.blocks][-1] == ("text", "Top > Below")
    assert "- one thing\n\n- another thing" in document.text


def test_what_is_broken_keeps_its_words() -> None:
    text = read_rst(
        "Title\n==\n\nSome *words that do not end.\n\n.. image:: \n\n.. figure::\n   :x: y\n\n   A caption.\n", "a.rst"
    ).text
    assert "words that do not end." in text and "A caption." in text
