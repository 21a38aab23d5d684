"""The command line `rarefy`: one module for each group of commands, with their options."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command that a command line asks for; the exit code."""
    from rarefy.flows.cli.entry import main as run  # late: its modules import this package

    return run(arguments)
