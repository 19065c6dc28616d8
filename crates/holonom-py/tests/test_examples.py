"""The scripts of examples/python run, are short, and hold what they assert."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT

SCRIPTS = sorted((ROOT / "examples/python").glob("*.py"))


def test_they_are_there():
    assert len(SCRIPTS) == 7
    listed = (ROOT / "examples/python/README.md").read_text()
    assert all(f"({s.name})" in listed for s in SCRIPTS)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_example(script):
    assert len(script.read_text().splitlines()) < 60
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    print(done.stdout)
