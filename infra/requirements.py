"""requirements.py EXTRA...: what pyproject.toml of this folder requires, with these extras, one requirement a line."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
print(
    *project["dependencies"],
    *(one for extra in sys.argv[1:] for one in project["optional-dependencies"][extra]),
    sep="\n",
)
