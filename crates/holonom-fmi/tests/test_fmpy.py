"""Units that `holonom fmu` wrote, in FMPy: what its validation says of them, runs beside `holonom run`, and every call as the standard wants it.

Run by `cargo xtask python`. HOLONOM names the command, HOLONOM_FMI_LIB the library.
"""

import json
import math
import os
import shutil
import subprocess
import zipfile

import fmpy
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave
from fmpy.validation import validate_fmu

PUSHED = """
title = "A pendulum that is pushed"
[params]
length = 1.0
half = "${length/2}"
[body.rod]
shape = { kind = "box", size = ["${length}", 0.05, 0.05] }
density = 7800
at = ["${half}", 0, 0]
[joint.pin]
kind = "revolute"
b = "rod"
at = [0, 0, 0]
axis = [0, 1, 0]
[record]
columns = ["pin.coordinate", "pin.rate", "pin.acceleration", "rod.pos.*"]
"""

SLIDER = """
title = "A slider that is led"
[body.block]
shape = { kind = "box", size = [0.1, 0.1, 0.1] }
density = 1000
[joint.rail]
kind = "prismatic"
b = "block"
axis = [1, 0, 0]
[drive.lead]
kind = "position"
joint = "rail"
value = 0.0
[record]
columns = ["rail.coordinate", "rail.rate", "lead.effort"]
"""


def holonom(*arguments, check=True):
    program = os.environ.get("HOLONOM")
    assert program, "the variable HOLONOM must name the `holonom` command (cargo xtask python sets it)"
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert not check or done.returncode == 0, done.stderr
    return done


def exported(folder, scene, version, *options):
    name = os.path.splitext(os.path.basename(str(scene)))[0]
    out = folder / f"{name}-{version}.fmu"
    holonom("fmu", scene, "-o", out, "--fmi", version, "--force", *options)
    assert validate_fmu(str(out)) == []
    return str(out)


def written(folder, name, text):
    path = folder / f"{name}.toml"
    path.write_text(text)
    return path


class Unit:
    """One instance of a unit of either version, with the calls of both under one name."""

    def __init__(self, path, folder=None):
        self.own = folder is None
        self.folder = folder or fmpy.extract(path)
        self.about = fmpy.read_model_description(self.folder)
        self.two = self.about.fmiVersion == "2.0"
        self.log = []
        kind = FMU2Slave if self.two else FMU3Slave
        self.fmu = kind(
            guid=self.about.guid,
            unzipDirectory=self.folder,
            modelIdentifier=self.about.coSimulation.modelIdentifier,
            instanceName="unit",
        )
        if self.two:
            from fmpy.fmi2 import fmi2CallbackFunctions, fmi2CallbackLoggerTYPE, fmi2CallbackAllocateMemoryTYPE
            from fmpy.fmi2 import fmi2CallbackFreeMemoryTYPE, calloc, free

            callbacks = fmi2CallbackFunctions()
            callbacks.logger = fmi2CallbackLoggerTYPE(lambda e, n, s, c, m: self.log.append((s, c, m)))
            callbacks.allocateMemory = fmi2CallbackAllocateMemoryTYPE(calloc)
            callbacks.freeMemory = fmi2CallbackFreeMemoryTYPE(free)
            self.callbacks = callbacks
            self.fmu.instantiate(loggingOn=True, callbacks=callbacks)
        else:
            from fmpy.fmi3 import fmi3LogMessageCallback

            self.callback = fmi3LogMessageCallback(lambda e, s, c, m: self.log.append((s, c, m)))
            self.fmu.instantiate(loggingOn=True, logMessage=self.callback)

    def reference(self, name):
        return next(v.valueReference for v in self.about.modelVariables if v.name == name)

    def set(self, values):
        references, numbers = [self.reference(n) for n in values], list(values.values())
        return self.fmu.setReal(references, numbers) if self.two else self.fmu.setFloat64(references, numbers)

    def get(self, *names):
        return self.get_raw([self.reference(n) for n in names])

    def get_raw(self, references):
        return self.fmu.getReal(references) if self.two else self.fmu.getFloat64(references)

    def outputs(self):
        return self.get(*[v.name for v in self.about.modelVariables if v.causality == "output"])

    def enter(self, **experiment):
        if self.two:
            self.fmu.setupExperiment(**experiment)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(**experiment)

    def start(self, values=None, **experiment):
        if values:
            self.set(values)
        self.enter(**experiment)
        self.fmu.exitInitializationMode()

    def step(self, time, step):
        return self.fmu.doStep(time, step)

    def run(self, start, step, n):
        for k in range(n):
            self.step(start + k * step, step)

    def save(self):
        return self.fmu.getFMUState()

    def bytes_of(self, state):
        return self.fmu.serializeFMUstate(state) if self.two else self.fmu.serializeFMUState(state)

    def from_bytes(self, data):
        return self.fmu.deSerializeFMUstate(data) if self.two else self.fmu.deserializeFMUState(data)

    def forget(self, state):
        return self.fmu.freeFMUstate(state) if self.two else self.fmu.freeFMUState(state)

    def close(self):
        self.fmu.freeInstance()
        if self.own:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def refused(unit, call, *arguments, says=b""):
    """The call is refused with `Error` and a message in the log."""
    n = len(unit.log)
    with pytest.raises(FMICallException) as found:
        call(*arguments)
    assert found.value.status == 3
    assert len(unit.log) > n and unit.log[-1][0] == 3 and says in unit.log[-1][2], unit.log[n:]


@pytest.mark.parametrize("version", ["3", "2"])
@pytest.mark.parametrize("scene, least", [("four-bar", 9), ("prosthetic-arm", 27), ("bouncing-ball", 2)])
def test_gallery_scenes_end_where_the_command_ends(tmp_path, scene, least, version):
    path = exported(tmp_path, scene, version, "--outputs", "*.pos.*,*.vel.*,*.quat.*")
    final = json.loads(holonom("run", scene, "--json").stdout.splitlines()[-1])
    result = fmpy.simulate_fmu(path)
    last, compared = result[-1], 0
    assert last["time"] == pytest.approx(final["time"], abs=1e-12)
    for body, there in final["final"]["bodies"].items():
        for part, field, axes in [("pos", "com", "xyz"), ("vel", "v_com", "xyz"), ("quat", "quaternion", "wxyz")]:
            for axis, number in zip(axes, there[field] or []):
                name = f"{body}.{part}.{axis}"
                if name in result.dtype.names:
                    assert last[name] == pytest.approx(number, abs=1e-9), name
                    compared += 1
    assert compared >= least


@pytest.mark.parametrize("version", ["3", "2"])
def test_communication_steps_leave_no_trace(tmp_path, version):
    path = exported(tmp_path, "bouncing-ball", version)
    ends = []
    for n in (1, 7, 400):
        with Unit(path) as unit:
            unit.start()
            unit.run(0.0, 2.0 / n, n)
            ends.append(unit.outputs())
    assert ends[0] == pytest.approx(ends[1], abs=1e-12) and ends[0] == pytest.approx(ends[2], abs=1e-12)


@pytest.mark.parametrize("version", ["3", "2"])
def test_parameters_build_another_pendulum(tmp_path, version):
    path = exported(tmp_path, written(tmp_path, "pushed", PUSHED), version)
    with Unit(path) as unit:
        variables = {v.name: v for v in unit.about.modelVariables}
        assert variables["length"].causality == "parameter" and float(variables["length"].start) == 1.0
        assert variables["half"].causality == "calculatedParameter"
        assert variables["pin.rate"].unit == "rad/s"
        unit.set({"length": 2.0})
        unit.enter()
        assert unit.get("half", "rod.pos.x") == [1.0, 1.0]
        unit.set({"length": 3.0})
        assert unit.get("half", "rod.pos.x") == [1.5, 1.5]
        unit.fmu.exitInitializationMode()
        refused(unit, unit.set, {"length": 1.0}, says=b"until initialization ends")
        refused(unit, unit.set, {"half": 1.0}, says=b"calculated")
        # the angular acceleration of a rod from level is 3 g / (2 l) but for its thickness
        slender = 1.5 * 9.81 / 3.0
        assert abs(unit.get("pin.acceleration")[0]) == pytest.approx(slender, rel=1e-3)


@pytest.mark.parametrize("version", ["3", "2"])
def test_an_effort_turns_the_pendulum(tmp_path, version):
    path = exported(tmp_path, written(tmp_path, "pushed", PUSHED), version, "--inputs", "pin.effort")
    with Unit(path) as unit:
        unit.start()
        free = unit.get("pin.acceleration")[0]
        unit.set({"pin.effort": 3.0})
        mass = 7800 * 0.05 * 0.05
        inertia = mass * ((1 + 0.05**2) / 12 + 0.25)
        # at once, and in proportion
        assert unit.get("pin.acceleration")[0] - free == pytest.approx(3.0 / inertia, rel=1e-9)
        unit.set({"pin.effort": -1.5})
        assert unit.get("pin.acceleration")[0] - free == pytest.approx(-1.5 / inertia, rel=1e-9)
        assert unit.get("pin.effort", "time") == [-1.5, 0.0]
        # held up against gravity it stays where it is
        hold = {"pin.effort": math.copysign(mass * 9.81 * 0.5, -free)}
        unit.set(hold)
        unit.run(0.0, 0.05, 20)
        assert unit.get("pin.coordinate", "pin.rate") == pytest.approx([0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("version", ["3", "2"])
def test_a_ramp_is_followed_one_step_late(tmp_path, version):
    path = exported(tmp_path, written(tmp_path, "slider", SLIDER), version)
    with Unit(path) as unit:
        assert [v.name for v in unit.about.modelVariables if v.causality == "input"] == ["lead.value"]
        unit.start()
        h, speed = 0.01, 0.3
        for k in range(50):
            unit.set({"lead.value": speed * k * h})
            unit.step(k * h, h)
            if k >= 2:
                place, rate, effort = unit.get("rail.coordinate", "rail.rate", "lead.effort")
                assert place == pytest.approx(speed * k * h, abs=1e-9)
                assert rate == pytest.approx(speed, abs=1e-7)
        # no force is needed for a steady motion
        assert effort == pytest.approx(0.0, abs=1e-4)
        for k in range(50, 53):
            unit.step(k * h, h)
        assert unit.get("rail.coordinate", "rail.rate") == pytest.approx([speed * 49 * h, 0.0], abs=1e-9)


@pytest.mark.parametrize("version", ["3", "2"])
def test_states_come_back_bit_for_bit(tmp_path, version):
    path = exported(tmp_path, written(tmp_path, "pushed", PUSHED), version, "--inputs", "pin.effort")
    folder = fmpy.extract(path)
    with Unit(path, folder) as unit, Unit(path, folder) as other:
        unit.start({"length": 1.5})
        h = 0.03
        unit.run(0.0, h, 10)
        unit.set({"pin.effort": 2.0})
        state = unit.save()
        data = unit.bytes_of(state)
        unit.run(10 * h, h, 10)
        first = unit.outputs()
        unit.fmu.setFMUState(state)
        assert unit.get("time", "pin.effort", "length") == [pytest.approx(10 * h), 2.0, 1.5]
        unit.run(10 * h, h, 10)
        assert unit.outputs() == first
        # in another instance, which was never initialized
        copy = other.from_bytes(data)
        other.fmu.setFMUState(copy)
        other.run(10 * h, h, 10)
        assert other.outputs() == first
        # a state that is there is overwritten
        again = unit.from_bytes(data)
        assert unit.bytes_of(again) == data
        # from the end back to before the beginning
        unit.fmu.terminate()
        refused(unit, unit.step, 20 * h, h)
        unit.fmu.setFMUState(again)
        unit.step(10 * h, h)
        # spoilt bytes, bytes of another unit, states that are gone
        for spoilt in (data[:-1], data[:40], b"", data[:-20] + b"x" + data[-19:]):
            refused(unit, unit.from_bytes, spoilt, says=b"no state")
        unit.forget(again)
        refused(unit, unit.fmu.setFMUState, type(state)(12345), says=b"no kept state")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("version", ["3", "2"])
def test_a_state_of_another_unit_is_refused(tmp_path, version):
    one = exported(tmp_path, written(tmp_path, "pushed", PUSHED), version)
    two = exported(tmp_path, written(tmp_path, "slider", SLIDER), version)
    with Unit(one) as a, Unit(two) as b:
        a.start()
        b.start()
        foreign = b.from_bytes(a.bytes_of(a.save()))
        refused(b, b.fmu.setFMUState, foreign, says=b"another unit")


@pytest.mark.parametrize("version", ["3", "2"])
def test_reset_begins_anew(tmp_path, version):
    path = exported(tmp_path, written(tmp_path, "pushed", PUSHED), version, "--inputs", "pin.effort")
    with Unit(path) as unit:
        unit.start({"length": 2.0, "pin.effort": 5.0})
        unit.run(0.0, 0.1, 5)
        unit.fmu.reset()
        assert unit.get("time", "length", "pin.effort") == [0.0, 1.0, 0.0]
        unit.start()
        unit.run(0.0, 0.1, 5)
        after = unit.outputs()
    with Unit(path) as unit:
        unit.start()
        unit.run(0.0, 0.1, 5)
        assert unit.outputs() == after


@pytest.mark.parametrize("version", ["3", "2"])
def test_wrong_calls_are_refused_and_change_nothing(tmp_path, version):
    path = exported(tmp_path, written(tmp_path, "pushed", PUSHED), version, "--inputs", "pin.effort")
    with Unit(path) as unit:
        refused(unit, unit.step, 0.0, 0.1, says=b"after initialization")
        refused(unit, unit.fmu.exitInitializationMode)
        refused(unit, unit.fmu.terminate)
        refused(unit, unit.get, "pin.rate", says=b"from initialization on")
        refused(unit, unit.set, {"length": math.nan}, says=b"must be finite")
        refused(unit, unit.set, {"length": 5.0, "pin.effort": math.inf}, says=b"must be finite")
        assert unit.get("length") == [1.0]
        refused(unit, unit.get_raw, [1], says=b"value reference 1")
        refused(unit, lambda: unit.enter(startTime=math.nan))
        refused(unit, lambda: unit.enter(tolerance=-1.0))
        refused(unit, lambda: unit.enter(startTime=1.0, stopTime=0.5))
        unit.start(stopTime=1.0)
        refused(unit, unit.enter)
        for step in (0.0, -0.1, math.nan, math.inf):
            refused(unit, unit.step, 0.0, step)
        refused(unit, unit.step, 0.5, 0.1, says=b"the unit is at 0 s")
        refused(unit, unit.step, math.nan, 0.1)
        refused(unit, unit.step, 0.0, 1.5, says=b"stop time")
        refused(unit, unit.set, {"pin.effort": math.nan})
        refused(unit, unit.set, {"pin.rate": 1.0}, says=b"it is an output")
        refused(unit, unit.set, {"time": 1.0})
        unit.run(0.0, 0.1, 5)
        refused(unit, unit.step, 0.1, 0.1, says=b"the unit is at")
        unit.run(0.5, 0.1, 5)
        refused(unit, unit.step, 1.0, 0.1, says=b"stop time")
        end = unit.outputs()
        unit.fmu.terminate()
        assert unit.outputs() == end
        refused(unit, unit.fmu.terminate)
    with Unit(path) as clean:
        clean.start(stopTime=1.0)
        clean.run(0.0, 0.1, 10)
        assert clean.outputs() == end


@pytest.mark.parametrize("version", ["3", "2"])
def test_parameters_that_cannot_be_are_said(tmp_path, version):
    path = exported(tmp_path, written(tmp_path, "pushed", PUSHED), version)
    with Unit(path) as unit:
        unit.set({"length": -1.0})
        unit.enter()
        refused(unit, unit.fmu.exitInitializationMode, says=b"length")
        # only a way back is left
        refused(unit, unit.fmu.exitInitializationMode)
        unit.fmu.reset()
        unit.start()
        unit.step(0.0, 0.1)


@pytest.mark.parametrize("version", ["3", "2"])
def test_units_are_made_from_their_own_resources_alone(tmp_path, version):
    path = exported(tmp_path, written(tmp_path, "pushed", PUSHED), version)
    folder = fmpy.extract(path)
    # another token
    plan = os.path.join(folder, "resources", "unit.json")
    text = open(plan).read()
    open(plan, "w").write(text.replace(json.loads(text)["token"], "{other}"))
    with pytest.raises(Exception):
        Unit(path, folder)
    # a plan that is none
    open(plan, "w").write("{")
    with pytest.raises(Exception):
        Unit(path, folder)
    open(plan, "w").write(text)
    # a scene that names a file outside
    (tmp_path / "secret.stl").write_text("solid\nendsolid\n")
    scene = os.path.join(folder, "resources", "scene.toml")
    kept = open(scene).read()
    outside = os.path.relpath(tmp_path / "secret.stl", os.path.dirname(scene))
    open(scene, "w").write(kept + f'\n[body.spy]\nmass = 1\nshape = {{ kind = "mesh", file = "{outside}" }}\n')
    unit = Unit(path, folder)
    unit.enter()
    refused(unit, unit.fmu.exitInitializationMode, says=b"secret.stl")
    unit.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("version", ["3", "2"])
def test_a_hundred_units_in_one_process(tmp_path, version):
    path = exported(tmp_path, written(tmp_path, "pushed", PUSHED), version)
    folder = fmpy.extract(path)
    units = [Unit(path, folder) for _ in range(100)]
    for k, unit in enumerate(units):
        unit.start({"length": 1.0 + 0.01 * k})
    for step in range(5):
        for unit in units:
            unit.step(0.1 * step, 0.1)
    rates = [abs(unit.get("pin.rate")[0]) for unit in units]
    # the longer, the slower
    assert all(a > b for a, b in zip(rates, rates[1:]))
    alone = Unit(path, folder)
    alone.start({"length": 1.37})
    alone.run(0.0, 0.1, 5)
    assert alone.outputs() == units[37].outputs()
    for unit in [*units, alone]:
        unit.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("version", ["3", "2"])
def test_instances_that_are_freed_leave_no_memory(tmp_path, version):
    path = exported(tmp_path, written(tmp_path, "pushed", PUSHED), version)
    folder = fmpy.extract(path)

    def resident():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def life():
        unit = Unit(path, folder)
        unit.start()
        unit.run(0.0, 0.1, 2)
        # kept, and never freed by the importing tool
        for _ in range(5):
            unit.save()
        unit.fmu.fmi2FreeInstance(unit.fmu.component) if unit.two else unit.fmu.fmi3FreeInstance(unit.fmu.component)

    if not os.path.exists("/proc/self/statm"):
        pytest.skip("memory is read from /proc")
    for _ in range(50):
        life()
    before = resident()
    for _ in range(200):
        life()
    # an instance with its model takes some hundred kilobytes
    assert resident() - before < 8e6
    shutil.rmtree(folder, ignore_errors=True)


def test_a_start_time_is_where_the_clock_begins(tmp_path):
    path = exported(tmp_path, "four-bar", "3")
    with Unit(path) as unit:
        unit.start(startTime=3.0)
        assert unit.get("time") == [3.0]
        unit.run(3.0, 0.1, 3)
        assert unit.get("time") == [pytest.approx(3.3)]


def test_meshes_come_along(tmp_path):
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [(1, 2, 4), (1, 4, 3), (5, 7, 8), (5, 8, 6), (1, 5, 6), (1, 6, 2), (3, 4, 8), (3, 8, 7), (1, 3, 7), (1, 7, 5), (2, 6, 8), (2, 8, 4)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a} {b} {c}" for a, b, c in faces]
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "cube.obj").write_text("\n".join(lines) + "\n")
    text = '[body.cube]\nshape = { kind = "mesh", file = "parts/cube.obj" }\ndensity = 2\nat = [0, 0, 5]\n'
    path = exported(tmp_path, written(tmp_path, "cube", text), "3", "--outputs", "cube.pos.z")
    shutil.rmtree(tmp_path / "parts")
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert "resources/meshes/0-cube.obj" in archive.namelist()
    with Unit(path) as unit:
        unit.start()
        unit.step(0.0, 1.0)
        assert unit.get("cube.pos.z")[0] == pytest.approx(5 + 0.5 - 0.5 * 9.81, abs=1e-9)


def test_value_references_belong_to_names(tmp_path):
    scene = written(tmp_path, "pushed", PUSHED)

    def references(path):
        return {v.name: v.valueReference for v in fmpy.read_model_description(path).modelVariables}

    all_of_them = references(exported(tmp_path, scene, "3"))
    few = references(exported(tmp_path, scene, "2", "--outputs", "pin.rate"))
    assert few.items() <= all_of_them.items() and len(few) < len(all_of_them)


def test_the_same_scene_gives_the_same_bytes_and_another_one_another_token(tmp_path):
    scene = written(tmp_path, "pushed", PUSHED)
    first = open(exported(tmp_path, scene, "3"), "rb").read()
    assert open(exported(tmp_path, scene, "3"), "rb").read() == first
    token = fmpy.read_model_description(exported(tmp_path, scene, "3")).guid
    assert fmpy.read_model_description(exported(tmp_path, scene, "3", "--set", "length=2")).guid != token


def test_mistakes_on_the_command_line_are_explained(tmp_path):
    def says(*arguments):
        done = holonom("fmu", *arguments, check=False)
        assert done.returncode == 2, done.stderr
        return done.stderr

    out = tmp_path / "x.fmu"
    assert "did you mean `motor.value`" in says("four-bar", "-o", out, "--inputs", "motor.valu")
    assert "rocker" in says("four-bar", "-o", out, "--outputs", "rockr.pos.x")
    assert "units end in .fmu" in says("four-bar", "-o", tmp_path / "x.zip")
    other = tmp_path / "libother.so"
    other.write_bytes(b"\x7fELF\x02\x01" + bytes(12) + b"\x3e\x00" + bytes(100))
    assert "not the library" in says("four-bar", "-o", out, "--library", other)
    other.write_bytes(b"text")
    assert "not a shared library" in says("four-bar", "-o", out, "--library", other)
    assert not out.exists()
