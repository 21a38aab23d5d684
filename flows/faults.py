"""What a user can mend: told in one line, with an exit code, and never as a traceback."""

from rarefy.tasks.models.llm.secrets import redacted

LONGEST = 20_000  # letters of a message: a list of faults of a config has many lines


class Fault(Exception):
    """Something outside the program is not as it must be; the message says what, where, and the way out.

    Addresses are told without passwords and keys: a message goes to terminals, logs and Prefect's server.
    """

    code = 1
    passing = False  # whether it may be well again in a minute, with nothing changed: runs of deployments try again

    def __init__(self, *told: object) -> None:
        super().__init__(*(redacted(one, LONGEST) if isinstance(one, str) else one for one in told))


class UsageFault(Fault):
    """What was asked for cannot be done: a wrong option, a wrong config, nothing to build."""

    code = 2


class Outage(Fault):
    """What does the work went away in the middle of it."""

    passing = True


class NobodyAnswers(UsageFault):
    """There is nothing at an address: it is the wrong one, or what is there starts again."""

    passing = True


class NothingToBuild(UsageFault):
    """The corpus was read, and gives no question with these settings."""


class SpentFault(Fault):
    """--max-cost or --max-calls is reached: nothing is wrong, and the same command goes on from here."""

    code = 3


class RegressionFault(Fault):
    """A rule of --fail-if is broken: the comparison was made, and says what a pipeline must stop for."""

    code = 3


class UndecidedFault(Fault):
    """A rule of --fail-if is not broken and not known to be kept: too few questions, or its number is withheld."""

    code = 4
