"""The command line `rarefy`: one module for each group of commands, with their options."""

import gc


def main(arguments: list[str] | None = None) -> int:
    """Run the command that a command line asks for; the exit code."""
    # most of what is made stays: looking for cycles after every 700 objects takes a tenth of the time of imports
    gc.set_threshold(50_000, 20, 50)
    from rarefy.flows.cli.entry import main as run  # late: its modules import this package

    return run(arguments)
