"""Scenes in: files, texts, names; what is wrong with them, in the words of the command."""

import numpy as np
import pytest
from conftest import PENDULUM, ROOT

import holonom


def test_a_scene_of_the_gallery():
    model = holonom.load("four-bar")
    assert (model.n_bodies, model.n_joints, model.n_rows) == (3, len(model.joints) + len(model.drives), model.n_rows)
    assert model.n_dof == 0 or model.n_dof == 1
    assert "four-bar" in holonom.gallery() and len(holonom.gallery()) > 30
    assert model.total_mass == pytest.approx(model.masses.sum())


def test_a_text_and_a_file_are_the_same_scene(tmp_path):
    file = tmp_path / "pendulum.toml"
    file.write_text(PENDULUM)
    a, b = holonom.load(file), holonom.loads(PENDULUM)
    assert a.title == b.title == "A pendulum"
    assert a.initial_state.hash() == b.initial_state.hash()
    assert (a.n_q, a.n_v, a.n_rows, a.n_dof) == (7, 6, 5, 1)
    assert a.joints == ["pin"] and a.bodies == ["rod"] and a.joint_kind("pin") == "revolute"
    assert a.mass("rod") == pytest.approx(7800 * 0.05**2)


@pytest.mark.filterwarnings("ignore::holonom.SceneWarning")
def test_robots():
    urdf = sorted((ROOT / "crates/holonom-scene/tests/urdf").glob("arm.urdf"))
    mjcf = sorted((ROOT / "crates/holonom-scene/tests/mjcf").glob("*.xml"))
    assert urdf and mjcf
    for path, format in [(urdf[0], "urdf"), (mjcf[0], "mjcf")]:
        a = holonom.load(path)
        b = holonom.loads(path.read_text(), format, folder=path.parent)
        assert a.n_bodies > 0 and a.initial_state.hash() == b.initial_state.hash(), path


def test_settings():
    a = holonom.loads(PENDULUM, set={"body.rod.density": 2700, "gravity": [0, 0, -1.62]})
    assert a.mass("rod") == pytest.approx(2700 * 0.05**2)
    assert np.array_equal(a.gravity, [0, 0, -1.62])
    text = PENDULUM + "[params]\nL = 2\n"
    text = text.replace("[1, 0.05, 0.05]", '["${L}", 0.05, 0.05]')
    assert holonom.loads(text).parameters == {"L": 2}
    assert holonom.loads(text, set={"L": 3}).total_mass == pytest.approx(3 * 7800 * 0.05**2)


def test_what_was_understood_reads_back_as_the_same():
    model = holonom.load("excavator")
    again = holonom.loads(model.to_toml())
    assert again.initial_state.hash() == model.initial_state.hash()


BAD = PENDULUM.replace("axis = [0, 1, 0]", "axis = [0, 0, 0]")


def test_errors_have_text_code_and_place_of_the_command(tmp_path, command):
    file = tmp_path / "bad.toml"
    file.write_text(BAD)
    with pytest.raises(holonom.SceneError) as caught:
        holonom.load(file)
    e = caught.value
    line = BAD.splitlines().index("axis = [0, 0, 0]") + 1
    assert (e.code, e.file, e.line, e.column) == ("E0214", str(file), line, 8)
    assert isinstance(e, (holonom.Error, ValueError))
    said = command("run", file, check=False)
    assert said.returncode == 2 and said.stderr.strip() == str(e)


@pytest.mark.parametrize(
    ("scene", "options"),
    [("pendulumm", []), ("/nowhere/at/all.toml", []), ("pendulum", ["--set", "nothing=1"]), ("pendulum", ["--limit", "bodies=0"])],
)
def test_other_errors_too(scene, options, command):
    given = {"set": {"nothing": 1}} if "--set" in options else {"limits": {"bodies": 0}} if options else {}
    with pytest.raises(holonom.Error) as caught:
        holonom.load(scene, **given)
    said = command("run", scene, *options, check=False).stderr.strip()
    if "--limit" not in options:
        assert said == str(caught.value)


def test_a_limit_is_an_error_of_its_own():
    with pytest.raises(holonom.LimitError) as caught:
        holonom.load("cable-200", limits={"bodies": 10})
    assert caught.value.code
    with pytest.raises(holonom.UnknownNameError, match="did you mean `bodies`"):
        holonom.load("pendulum", limits={"bodis": 10})


def test_warnings_of_an_import():
    robot = '<robot name="r"><link name="a"><visual><geometry><box size="1 1 1"/></geometry></visual><nonsense/></link></robot>'
    with pytest.warns(holonom.SceneWarning):
        model = holonom.loads(robot, "urdf")
    assert model.warnings
    with pytest.raises(holonom.SceneError):
        holonom.loads(robot, "urdf", strict=True)
