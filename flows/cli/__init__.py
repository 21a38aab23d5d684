"""The command line: what `rarefy` understands, one module of commands and one of options for each group of them."""


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says; the exit code."""
    from rarefy.flows.cli.entry import main as run  # late: its modules import this package

    return run(arguments)
