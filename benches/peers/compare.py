"""Compare holonom with MuJoCo and Pinocchio on the same models in one run; see README.md beside this file.

    python benches/peers/compare.py [--holonom PROGRAM] [--rounds N]
"""

import pathlib
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
WORK = HERE.parents[1] / "target/peers"


def environment():
    """The interpreter of an environment of our own that has what requirements.txt says."""
    folder = WORK / "venv"
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", HERE / "requirements.txt"], check=True)
    return python


if __name__ == "__main__":
    sys.exit(subprocess.run([environment(), "-B", HERE / "run.py", "--work", WORK, *sys.argv[1:]]).returncode)
