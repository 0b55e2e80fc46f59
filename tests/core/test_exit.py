"""A signal ends a command at once, but never while a process is being started, whichever thread it is for."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

PROGRAM = """
import signal, subprocess, sys, threading, time
from doxeval.core.exit import exit_on_signals, exit_postponed
exit_on_signals()
over = threading.Event()
other = threading.Thread(target=over.wait, daemon=True)
other.start()
with {guard}:
    signal.pthread_kill(other.ident, signal.{name})
    time.sleep(0.2)
    blocked = "import signal; print(len(signal.pthread_sigmask(signal.SIG_BLOCK, ())))"
    print(subprocess.check_output([sys.executable, "-c", blocked], text=True), end="", flush=True)
time.sleep(5)
print("still here")
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_an_exit_waits_for_what_is_being_started(name):
    said = {}
    for guard in ("exit_postponed()", "threading.Lock()"):
        command = [sys.executable, "-c", PROGRAM.format(guard=guard, name=name)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 128 + signal.Signals[name] and "Traceback" not in done.stderr, done.stderr
        said[guard] = done.stdout
    assert said == {"exit_postponed()": "3\n", "threading.Lock()": ""}


STATUS = "import sys; from doxeval.core.exit import exit_quickly; exit_quickly({status}); print('went on')"


@pytest.mark.parametrize("status", [None, 0, 2, 141])
def test_a_quick_exit_has_the_status_it_was_given(status):
    done = subprocess.run(
        [sys.executable, "-c", STATUS.format(status=status)], capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (status or 0, b"", b"")


ENDING = """
import os, signal
from doxeval.core import exit
os._exit = lambda status: print(status, [signal.getsignal(number) == signal.SIG_IGN for number in {every}])
exit.exit_on_signals()
os.kill(os.getpid(), signal.SIGTERM)
"""


def test_no_signal_disturbs_an_exit():
    program = ENDING.format(every="(signal.SIGINT, signal.SIGTERM, signal.SIGHUP)")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == f"{128 + signal.SIGTERM} [True, True, True]\n"
