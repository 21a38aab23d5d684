"""Read reStructuredText: docutils makes HTML of it, which the reader of HTML reads.

Documents written for Sphinx use directives and roles that docutils does not know, and refer to files that are not
here. Nothing is included, and no raw HTML passes; the words of what is unknown stay, without messages about it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from email.parser import HeaderParser
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.languages import en

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.compose import split_pieces
from rarefy.tasks.corpus.read.html import read_html
from rarefy.tasks.corpus.read.metadata import build_document, fill_fields

SETTINGS: dict[str, Any] = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,  # no docutils.conf of the folder where this runs
    "report_level": 5,  # none: what docutils says of a document is no part of it
    "halt_level": 5,
    "warning_stream": "",
    "line_length_limit": 1_000_000,
    "input_encoding": "unicode",
    "output_encoding": "unicode",
    "stylesheet_path": "",
    "embed_stylesheet": False,
    "math_output": "LaTeX",
    "syntax_highlight": "none",
    "toc_backlinks": False,
    "section_numbering": False,
    "sectsubtitle_xform": False,
    "smart_quotes": False,
}
CODE = frozenset(
    "code code-block sourcecode doctest testcode testoutput testsetup testcleanup prompt ipython highlight-block "
    "parsed-literal productionlist console command-output program-output".split()
)
# Directives that say how a page is made or found, or draw; what they hold are no sentences
SILENT = frozenset(
    "toctree contents sectnum index highlight currentmodule module py:module py:currentmodule automodule autoclass "
    "autofunction automethod autoattribute autoexception autodata autosummary autoprogram include literalinclude "
    "tabularcolumns default-role default-domain rst-class cssclass role meta sectionauthor moduleauthor codeauthor "
    "graphviz digraph graph mermaid uml plantuml image-sg plot raw title header footer target-notes ditaa "
    "inheritance-diagram click sphinx_autodoc_typehints bibliography raw-html".split()
)
HIDDEN_ARGUMENT = frozenset("only if ifconfig container tab-set grid cssclass compound class dropdown-group".split())
SAID_OF_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "deprecated-removed": "Deprecated since version",
    "versionremoved": "Removed in version",
}
_DIRECTIVE = re.compile(r"^[ \t]*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([A-Za-z0-9][\w:.+-]{0,60}?)[ \t]?::", re.M)
_ROLE = re.compile(r":([A-Za-z0-9][\w:.+-]{0,60}?):`|`:([A-Za-z0-9][\w:.+-]{0,60}?):")
_TARGET = re.compile(r"(?s)(.+?)\s*<[^<>]+>\Z")


def read_rst(text: str, source: str) -> Document:
    """The document that a reStructuredText holds; the fields at its head become metadata.

    Fields as a mail has them stay in the text, a paragraph each, since nobody else says who wrote a proposal.
    """
    text, named = _part_mail_head(text)
    _know(text)
    tree = publish_doctree(text, settings_overrides=SETTINGS)
    about = dict(_take_fields(tree))
    _keep_words(tree)
    heading = tree.next_node(nodes.title)
    title = heading.astext() if heading is not None else ""
    if not tree.astext().strip():
        return build_document(source, title or PurePosixPath(source).stem, "text/x-rst", [], {})
    page = publish_from_doctree(tree, writer="html5", settings_overrides=SETTINGS)
    document = read_html(page, source)
    title = about.pop("title", "") or named or title or PurePosixPath(source).stem
    return fill_fields(build_document(source, title, "text/x-rst", split_pieces(document), document.dropped), about)


def _part_mail_head(text: str) -> tuple[str, str]:
    """The text with a mail's fields at its head as paragraphs, and the title among them, "" where there is none."""
    mail = HeaderParser().parsestr(text.lstrip())
    fields = {name: " ".join(value.split()) for name, value in mail.items()}
    if mail.defects or len(fields) < 3 or not (title := fields.get("Title", "")):
        return text, ""
    number = f"PEP {fields['PEP']} – " if fields.get("PEP", "").isdecimal() else ""  # as its own site writes it
    paragraphs = [f"{name}: {value}" for name, value in fields.items()]
    return "\n\n".join([*paragraphs, str(mail.get_payload())]), number + title


# What docutils does not know


def _know(text: str) -> None:
    """Have every directive and role that a text uses known to docutils, those of Sphinx and of its extensions too."""
    for name in {found.lower() for found in _DIRECTIVE.findall(text)}:
        known = en.directives.get(name, name) in directives._directive_registry
        if name in SILENT or name in CODE or not known:
            directives.register_directive(name, _Any)
    for name in {(before or after).lower() for before, after in _ROLE.findall(text)}:
        if en.roles.get(name, name) not in roles._role_registry:
            roles.register_local_role(name, _read_role)


class _Options(dict[str, Callable[[str], Any]]):
    """Options of a directive, whatever they are called."""

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, name: str) -> Callable[[str], Any]:
        return str


class _Any(Directive):  # type: ignore[misc]
    """A directive that docutils does not know: its argument as a line, and what it holds."""

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = _Options()
    has_content = True

    def run(self) -> Sequence[nodes.Node]:
        if self.name in SILENT:
            return []
        said = self.arguments[0] if self.arguments else ""
        if self.name in CODE:
            text = "\n".join(self.content) if self.content else said
            return [nodes.literal_block(text, text)] if text else []
        if self.name in SAID_OF_VERSIONS:
            version, _, rest = " ".join(said.split()).partition(" ")
            said = f"{SAID_OF_VERSIONS[self.name]} {version}{': ' if rest or self.content else '.'}{rest}".strip()
        elif self.name in HIDDEN_ARGUMENT:
            said = ""
        elif self.name == "seealso":
            said = f"See also: {said}".strip()
        made: list[nodes.Node] = []
        if said:
            words, _ = self.state.inline_text(" ".join(said.split()), self.lineno)
            made.append(nodes.paragraph("", "", *words))
        holder = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, holder, match_titles=True)
        return [*made, *holder.children]


def _read_role(
    name: str, raw: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = None
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The words that a role which docutils does not know shows: its title, or what it refers to."""
    words = nodes.unescape(text).strip()
    if titled := _TARGET.match(words):
        words = titled[1]
    elif words.startswith("~"):
        words = words[1:].rsplit(".", 1)[-1]
    words = words.lstrip("!.")
    return [nodes.inline(raw, f"{name} {words}" if words.isdecimal() else words)], []  # "issue 17"


# What docutils makes of a document


def _take_fields(tree: nodes.document) -> Iterator[tuple[str, str]]:
    """The fields at the head of a document, which go out of its text."""
    for info in list(tree.findall(nodes.docinfo)):
        for field in info.children:
            if isinstance(field, nodes.field):
                yield field[0].astext().strip().lower(), " ".join(field[1].astext().split())
            elif isinstance(field, nodes.authors):
                yield "author", ", ".join(author.astext() for author in field.children)
            else:
                yield field.tagname, " ".join(field.astext().split())
        info.parent.remove(info)


def _keep_words(tree: nodes.document) -> None:
    """Replace what docutils could not make sense of by the words that stand there."""
    for node in list(tree.findall(nodes.problematic)):
        words = re.sub(r"^[:\w]*[`|*]+|[`|*]+_{0,2}$|_{1,2}$", "", node.astext())
        titled = _TARGET.match(words)
        node.parent.replace(node, nodes.Text(titled[1] if titled else words))
    for message in list(tree.findall(nodes.system_message)):
        lost = [
            line.strip()
            for block in message.findall(nodes.literal_block)
            for line in block.astext().split("\n")
            if line.strip() and not re.match(r"\s*(?:\.\. |:[\w -]+:)", line)
        ]
        message.parent.replace(message, [nodes.literal_block("", "\n".join(lost))] if lost else [])
    for kind in (nodes.comment, nodes.substitution_definition, nodes.pending, nodes.topic, nodes.image):
        for node in list(tree.findall(kind)):
            if kind is not nodes.topic or "contents" in node.get("classes", ()):
                node.parent.remove(node)
