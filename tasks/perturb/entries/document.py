"""Changes to gold chunks (RARE §5.2, C.2; SURE §3.2, Table 2, Figures 8 and 9)."""

from rarefy.tasks.perturb.entries.document_examples import EXAMPLES
from rarefy.tasks.perturb.entry import Perturbation

_RARE, _SURE = "RARE §5.2, C.2", "SURE §3.2, Figures 8-9"
_HERE = "rarefy.tasks.perturb.document"
_REWRITTEN = ("answer_kept", "same_facts", "entailment")

DOCUMENT = (
    Perturbation(
        name="answer_deleted",
        paper=_RARE,
        side="document",
        family="deletion",
        about="the sentences that support the answer, and the answer in any notation, are gone",
        checks=("only_deleted", "no_answer"),
        rules=f"{_HERE}.answer_deleted:answer_deleted",
        speaks=(),
        whole=True,
        example=EXAMPLES["answer_deleted"],
    ),
    Perturbation(
        name="back_translation",
        paper=_RARE,
        side="document",
        family="back_translation",
        about="into French and back by a model; into Spanish and back where apertium is installed",
        checks=_REWRITTEN,
        rules=f"{_HERE}.back_translation:back_translation",
        by="apertium",
        role="back_translation",
        needs="apertium",
        whole=True,
        alone=True,
        example=EXAMPLES["back_translation"],
    ),
    *(
        Perturbation(
            name=name,
            paper=_SURE,
            side="document",
            family=family,
            about=about,
            checks=_REWRITTEN,
            role=role,
            generator=generator,
            alone=True,
            example=EXAMPLES[name],
        )
        for name, family, about, role, generator in (
            ("simple", "style", "short sentences and basic words", "simple", False),
            ("complex", "style", "long sentences and advanced words", "complex", False),
            ("llm_generated", "source", "rewritten by a model", "rewrite", False),
            ("self_generated", "source", "rewritten by the system under test", "rewrite", True),
        )
    ),
    *(
        Perturbation(
            name=name,
            paper=_SURE,
            side="document",
            family="logic",
            about=about,
            checks=("same_sentences", "answer_kept"),
            rules=rules,
            role=role,
            speaks=(),
            alone=True,
            example=EXAMPLES[name],
        )
        for name, about, rules, role in (
            ("random_order", "sentences shuffled", f"{_HERE}.logic:random_order", ""),
            ("reverse_order", "sentences reversed", f"{_HERE}.logic:reverse_order", ""),
            ("llm_ranked", "sentences in the order that a model prefers", "", "rank"),
        )
    ),
    *(
        Perturbation(
            name=name + suffix,
            paper=_SURE,
            side="document",
            family=family,
            about=about + told,
            checks=("parses_back", "answer_readable") if not suffix else ("holds_original",),
            rules=f"{_HERE}.{family}:{name}{suffix}",
            speaks=(),
            alone=True,
            baseline=baseline if not suffix or family == "format" else ("none", "html_as_printed"),
            default=not suffix,
            example=EXAMPLES[name + suffix],
        )
        for suffix, told in (("", ""), ("_as_printed", ", by the paper's template, nothing escaped"))
        for name, family, about, baseline in (
            ("json", "format", "as JSON", ("none",)),
            ("html", "format", "as HTML", ("none",)),
            ("yaml", "format", "as YAML", ("none",)),
            ("markdown", "format", "as Markdown", ("none",)),
            ("timestamp_pre", "metadata", "HTML dated before the model's cutoff", ("none", "html")),
            ("timestamp_post", "metadata", "HTML dated after the model's cutoff", ("none", "html")),
            ("datasource_wiki", "metadata", "HTML that names Wikipedia as its source", ("none", "html")),
            ("datasource_twitter", "metadata", "HTML that names Twitter as its source", ("none", "html")),
        )
    ),
)
