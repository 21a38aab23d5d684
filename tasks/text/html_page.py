"""Templates of HTML pages that show text of documents and models, which must never act as markup."""

from jinja2 import Environment, PackageLoader, StrictUndefined

from rarefy.tasks.text.characters import visible


def page_environment(package: str) -> Environment:
    """The templates beside a package's modules: values escaped, unseen characters spelled out, missing ones raise."""
    environment = Environment(
        loader=PackageLoader(package, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.finalize = visible
    return environment
