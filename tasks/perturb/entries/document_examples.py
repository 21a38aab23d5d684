"""What becomes of a passage of a filing, by perturbation; a test holds the rules to it."""

TITLE = "Meta Platforms, Inc., Form 10-K for fiscal year 2024"
_ONE = "We were incorporated in Delaware in July 2004."
EVIDENCE = (
    "We completed our initial public offering in May 2012 and our Class A common stock is currently listed on the "
    'Nasdaq Global Select Market under the symbol "META."'
)
_THREE = "Our principal executive offices are located at 1 Meta Way, Menlo Park, California 94025."
PASSAGE = f"{_ONE} {EVIDENCE} {_THREE}"
ANSWER = "Nasdaq Global Select Market"

# Of Amazon.com, Inc., Form 10-K for fiscal year 2024, rewritten by a model
_SENTENCE = (
    "Our financial reporting currency is the U.S. Dollar and changes in foreign exchange rates significantly affect "
    "our reported results and consolidated trends."
)
_REWRITTEN = (
    "The U.S. Dollar is the currency of our financial reports, so movements in exchange rates weigh heavily on the "
    "results and consolidated trends we present."
)

_QUOTED = PASSAGE.replace('"', '\\"')


def _page(meta: str = "") -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="UTF-8">\n{meta}<title>{TITLE}</title>\n</head>\n'
        f"<body><pre>{PASSAGE}</pre></body></html>"
    )


def _as_printed(meta: str = "") -> str:
    return (
        f'<html lang="en">\n<head>\n<meta charset="UTF-8">\n{meta}{TITLE}\n</head>\n<body> {PASSAGE} </body>\n</html>'
    )


_WIKI = "https://en.wikipedia.org/wiki/Meta_Platforms,_Inc.,_Form_10-K_for_fiscal_year_2024"
_TWITTER = "https://twitter.com/MetaPlatforms/status/"

EXAMPLES = {
    "answer_deleted": (PASSAGE, f"{_ONE} {_THREE}"),
    "random_order": (PASSAGE, f"{_THREE} {_ONE} {EVIDENCE}"),
    "reverse_order": (PASSAGE, f"{_THREE} {EVIDENCE} {_ONE}"),
    "llm_ranked": (PASSAGE, f"{_ONE} {_THREE} {EVIDENCE}"),
    "json": (PASSAGE, f'{{\n"title": "{TITLE}",\n"text": "{_QUOTED}"\n}}'),
    "json_as_printed": (PASSAGE, f'{{\n"title": "{TITLE}",\n"text": "{PASSAGE}"\n}}'),
    "html": (PASSAGE, _page()),
    "html_as_printed": (PASSAGE, _as_printed()),
    "yaml": (PASSAGE, f'Title: "{TITLE}"\nText: "{_QUOTED}"'),
    "yaml_as_printed": (PASSAGE, f"Title: {TITLE}\nText: {PASSAGE}"),
    "markdown": (PASSAGE, f"# {TITLE}\n\n{PASSAGE}"),
    "markdown_as_printed": (PASSAGE, f"# {TITLE}\n{PASSAGE}"),
    "timestamp_pre": (PASSAGE, _page('<meta name="timestamp" content="2022-12-19">\n')),
    "timestamp_post": (PASSAGE, _page('<meta name="timestamp" content="2024-12-25">\n')),
    "datasource_wiki": (PASSAGE, _page(f'<meta name="datasource" content="{_WIKI}">\n')),
    "datasource_twitter": (PASSAGE, _page(f'<meta name="datasource" content="{_TWITTER}1682780444662099681">\n')),
    "timestamp_pre_as_printed": (PASSAGE, _as_printed("<meta name='timestamp' content='2022-12-04'>\n")),
    "timestamp_post_as_printed": (PASSAGE, _as_printed("<meta name='timestamp' content='2024-12-26'>\n")),
    "datasource_wiki_as_printed": (PASSAGE, _as_printed(f"<meta name='datasource' content='{_WIKI}'>\n")),
    "datasource_twitter_as_printed": (
        PASSAGE,
        _as_printed(f"<meta name='datasource' content='{_TWITTER}1716708850329718030'>\n"),
    ),
    "simple": (
        _SENTENCE,
        "We report our finances in the U.S. Dollar. Changes in foreign exchange rates have a big effect on the results "
        "we report and on our consolidated trends.",
    ),
    "complex": (
        _SENTENCE,
        "The currency in which our financial reporting is conducted is the U.S. Dollar, and changes in foreign "
        "exchange rates exert a significant effect upon the results that we report and upon our consolidated trends.",
    ),
    "llm_generated": (_SENTENCE, _REWRITTEN),
    "self_generated": (_SENTENCE, _REWRITTEN),
    "back_translation": (
        _SENTENCE,
        "Our financial presentation currency is the US dollar, and variations in exchange rates have a significant "
        "impact on our published results and our consolidated trends.",
    ),
}
