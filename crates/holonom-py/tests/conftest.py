"""What several tests need. The command is named by HOLONOM; without it the tests that compare with it fail."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

PENDULUM = """
title = "A pendulum"
[body.rod]
shape = { kind = "box", size = [1, 0.05, 0.05] }
density = 7800
at = [0.5, 0, 0]
[joint.pin]
kind = "revolute"
b = "rod"
at = [0, 0, 0]
axis = [0, 1, 0]
"""


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def command():
    """Run the command; what it said on both outputs."""
    program = os.environ.get("HOLONOM")
    assert program, "the variable HOLONOM must name the `holonom` command (cargo xtask python sets it)"

    def run(*arguments, check=True):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT)
        assert not check or done.returncode == 0, done.stderr
        return done

    return run
