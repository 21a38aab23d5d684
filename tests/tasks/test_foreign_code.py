"""What somebody's code changes of the process is put back, and what it prints cannot command a terminal."""

import decimal
import io
import locale
import os
import signal
import subprocess
import sys
import threading

import pytest

from rarefy.tasks.foreign_code import escape_controls, protect_process


class Tty(io.StringIO):
    def isatty(self):
        return True


def replaced():
    sys.stdout = sys.stderr = io.StringIO()


def low():
    sys.setrecursionlimit(60)


def few_digits():
    decimal.getcontext().prec = 3
    decimal.getcontext().traps[decimal.Inexact] = True
    decimal.DefaultContext.prec = 2


def other_words():
    locale.setlocale(locale.LC_ALL, "C")


def deaf():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def state():
    with decimal.localcontext(decimal.DefaultContext) as new:
        digits = new.prec
    limits = (sys.getrecursionlimit(), decimal.getcontext().prec, digits, decimal.getcontext().traps[decimal.Inexact])
    signals = (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM))
    return (sys.stdout, sys.stderr, locale.setlocale(locale.LC_ALL), *limits, *signals)


@pytest.mark.parametrize("change", [replaced, low, few_digits, other_words, deaf])
def test_what_code_sets_is_put_back(change):
    before = state()
    with protect_process():
        change()
    assert state() == before


def test_it_is_put_back_where_the_code_raises():
    before = state()
    with pytest.raises(ZeroDivisionError), protect_process():
        replaced()
        low()
        _ = 1 / 0
    assert state() == before


def test_threads_leave_what_was_there_before_the_first_of_them():
    before, inside, leave = state(), threading.Barrier(5), threading.Barrier(5)

    def work():
        with protect_process():
            inside.wait()
            replaced()
            leave.wait()

    threads = [threading.Thread(target=work) for _ in range(5)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert state() == before


def test_what_is_printed_on_a_terminal_is_seen_and_not_obeyed(monkeypatch):
    terminal, file = Tty(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", file)
    with protect_process():
        print("\x1b[2J\x1b]0;owned\x07 fine\tas it is\nnext \u202egnp.exe \x9b31m")
        sys.stdout.writelines(["\x1bc", "two"])
        print("\x1b[2J", file=sys.stderr)
    assert terminal.getvalue() == "␛[2J␛]0;owned␇ fine\tas it is\nnext \ufffdgnp.exe \ufffd31m\n␛ctwo"
    assert file.getvalue() == "\x1b[2J\n"  # no terminal: as it was written
    assert sys.stdout is terminal and sys.stderr is file


def test_plain_words_of_any_language_are_harmless():
    for text in ("Größe 10 €", "日本語", "עברית", "नमस्ते", "a\tb\r\n", "👩\u200d🔬"):
        assert escape_controls(text) == text


def test_a_closed_standard_output_is_opened_again():
    code = (
        "import sys; from rarefy.tasks.foreign_code import protect_process\n"
        "with protect_process(): sys.stdout.close()\n"
        "print('after')\n"
        "import io\n"
        "with protect_process(): sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='ascii')\n"
        "print('and after')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:2] == ["after", "and after"], done.stderr


def test_closed_descriptors_of_standard_output_are_opened_again_before_a_file_gets_their_numbers(tmp_path):
    code = (
        "import os, sys; from rarefy.tasks.foreign_code import protect_process\n"
        "with protect_process(): os.close(1); os.close(2)\n"
        "file = open(sys.argv[1], 'w')\n"
        "with protect_process(): os.dup2(file.fileno(), 1)\n"
        "os.write(1, b'out'); os.write(2, b'err')\n"
        "print(len(os.listdir('/proc/self/fd')) if os.path.isdir('/proc/self/fd') else '', flush=True)\n"
        "for _ in range(9):\n"
        "    with protect_process(): pass\n"
        "print(len(os.listdir('/proc/self/fd')) if os.path.isdir('/proc/self/fd') else '')"
    )
    told = [sys.executable, "-c", code, str(tmp_path / "file")]
    done = subprocess.run(told, capture_output=True, text=True, check=False)
    first, again = done.stdout.removeprefix("out").split("\n")[:2]
    assert done.stdout.startswith("out") and done.stderr == "err" and first == again
    assert (tmp_path / "file").read_text() == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("ending", ["pass", "raise ValueError"])
def test_a_forked_child_that_comes_back_does_not_go_on_with_our_work(ending):
    code = (
        "import os; from rarefy.tasks.foreign_code import protect_process\n"
        "try:\n"
        f"    with protect_process(): child = os.fork(); {ending}\n"
        "except ValueError: pass\n"
        "os.write(1, b'on')\n"
        "if child: os.waitpid(child, 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "on", done.stderr
