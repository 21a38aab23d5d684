"""`python -m rarefy.flows.cli` is the command `rarefy`."""

import sys

from rarefy.flows.cli import main

sys.exit(main())
