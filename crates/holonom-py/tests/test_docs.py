"""The Python of the guide and of the README runs, block after block, as it is written."""

import re
import shutil

import pytest
from conftest import ROOT

import holonom


def blocks(path):
    return re.findall(r"^```python\n(.*?)^```", path.read_text(), re.M | re.S)


@pytest.mark.filterwarnings("ignore::holonom.SceneWarning")
def test_the_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    robots = ROOT / "crates/holonom-scene/tests"
    shutil.copy(robots / "urdf/arm.urdf", tmp_path)
    shutil.copytree(robots / "mjcf", tmp_path / "models")
    names = {"text": (robots / "mjcf/fourbar.xml").read_text()}
    found = blocks(ROOT / "docs/python.md")
    assert len(found) > 5
    for block in found:
        exec(compile(block, "docs/python.md", "exec"), names)


def test_the_readme():
    (block,) = blocks(ROOT / "README.md")
    exec(compile(block, "README.md", "exec"), {})


def test_the_message_in_the_guide():
    m = holonom.ModelBuilder("a pendulum")
    m.body("rod", shape={"kind": "box", "size": [1, 0.05, 0.05]}, density=7800, at=[0.5, 0, 0])
    m.joint("pin", kind="revolut", b="rod", at=[0, 0, 0], axis=[0, 1, 0])
    with pytest.raises(holonom.SceneError) as caught:
        m.build()
    said = str(caught.value).splitlines()
    shown = (ROOT / "docs/python.md").read_text()
    assert all(line in shown for line in said if "help" not in line and "built at" not in line), "\n".join(said)
