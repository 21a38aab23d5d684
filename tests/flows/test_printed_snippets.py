"""The snippets of README and the tutorials run exactly as they are printed, one after the other, in one folder.

A block of Python or TOML that begins with the name of a file in a comment is saved as that file. A block behind
`<!-- not run: reason -->` is left out, as are blocks of output, which name no language.
"""

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md"))]
BLOCK = re.compile(r"(?P<left><!-- not run: [^\n]+\n)?^```(?P<kind>[a-z]+)\n(?P<text>.*?)^```", re.M | re.S)
FILE = re.compile(r"# (\S+\.(?:py|toml))\n")


def run(command: list[str], folder: Path, env: dict[str, str]) -> str:
    """Run a snippet, and end what it left running."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=300)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, f"{command[-1]}\n{said[-5000:]}"
    return said


@pytest.mark.server  # it takes two minutes, and starts one
def test_the_snippets_run_as_printed(tmp_path):
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "rarefy").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rarefy.flows.cli "$@"\n')
    (commands / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    for file in commands.iterdir():
        file.chmod(0o755)
    folder = tmp_path / "mine"
    folder.mkdir()
    env = {**os.environ, "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
    env.pop("RAREFY_STORE", None)
    said = {}
    for page in PAGES:
        said[page.stem] = ""
        for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
            text, kind = block["text"], block["kind"]
            if block["left"]:
                continue
            if file := FILE.match(text):
                (folder / file[1]).write_text(text)
            elif kind == "sh":
                said[page.stem] += run(["bash", "-e", "-c", text], folder, env)
            else:
                assert kind == "python", f"{page.name}: a block of {kind} names no file and gives no reason"
                said[page.stem] += run([sys.executable, "-c", text], folder, env)
    _, first, second, third = (said[page.stem] for page in PAGES)
    assert "21 single, 6 change" in first and "answer: 190" in first
    assert "Word (synonyms" in second and "7 whole questions" in second
    assert "1 passed" in third and "2 answer changed, 7 evidence moved, 18 unchanged" in third
