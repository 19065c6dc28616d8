"""Motions that `holonom export` wrote, read by other programs: USD by usd-core with its validators, glTF by its own rules, MCAP by mcap.

Run by `cargo xtask python`. HOLONOM names the command.
"""

import csv
import json
import math
import os
import struct
import subprocess

import pytest
from mcap.reader import make_reader
from pxr import Gf, Usd, UsdGeom, UsdPhysics, UsdValidation


def holonom(*arguments, check=True):
    program = os.environ.get("HOLONOM")
    assert program, "the variable HOLONOM must name the `holonom` command (cargo xtask python sets it)"
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert not check or done.returncode == 0, done.stderr
    return done


def final(scene, time):
    return json.loads(holonom("run", scene, "--time", time, "--json").stdout.splitlines()[-1])["final"]["bodies"]


def turned(q, v):
    """The vector v turned by the quaternion q = (x, y, z, w)."""
    x, y, z, w = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]


def masses(stage):
    """Body by body: name, prim, centre of mass in its own axes."""
    for prim in stage.Traverse():
        if prim.HasAPI(UsdPhysics.RigidBodyAPI):
            yield prim.GetDisplayName() or prim.GetName(), prim, UsdPhysics.MassAPI(prim)


@pytest.mark.parametrize("scene", ["four-bar", "crane", "humanoid", "gear-train", "rolling-coin", "bouncing-ball"])
def test_usd_says_where_bodies_are(tmp_path, scene):
    path = tmp_path / "x.usda"
    holonom("export", scene, "-o", path, "--time", 1)
    stage = Usd.Stage.Open(str(path))
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert any("usdPhysics" in v.GetMetadata().name for v in validators)
    errors = UsdValidation.ValidationContext(validators).Validate(stage)
    assert errors == [], [e.GetMessage() for e in errors]
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    there, seen = final(scene, 1), 0
    cache = UsdGeom.XformCache(stage.GetEndTimeCode())
    for name, prim, mass in masses(stage):
        pose = cache.GetLocalToWorldTransform(prim)
        centre = pose.Transform(Gf.Vec3d(mass.GetCenterOfMassAttr().Get()))
        assert list(centre) == pytest.approx(there[name]["com"], abs=1e-6)
        if there[name]["quaternion"]:
            w = abs(Gf.Quatd(pose.ExtractRotationQuat()).GetReal())
            assert w == pytest.approx(abs(there[name]["quaternion"][0]), abs=1e-6)
        assert mass.GetMassAttr().Get() > 0
        seen += 1
    assert seen == len(there)


def test_usd_has_the_joints_and_inertias_of_a_four_bar(tmp_path):
    path = tmp_path / "x.usda"
    said = holonom("export", "four-bar", "-o", path, "--time", 0.5)
    assert "`motor` (motor)" in said.stderr
    stage = Usd.Stage.Open(str(path))
    joints = [UsdPhysics.RevoluteJoint(p) for p in stage.Traverse() if p.IsA(UsdPhysics.RevoluteJoint)]
    assert len(joints) == 4
    # both sides of a hinge are at the same place, at all times, and its axes are parallel
    for time in (0.0, 3.0, 12.0):
        cache = UsdGeom.XformCache(time)
        for joint in joints:
            ends = []
            for k, (bodies, at, turn) in enumerate(
                [
                    (joint.GetBody0Rel(), joint.GetLocalPos0Attr(), joint.GetLocalRot0Attr()),
                    (joint.GetBody1Rel(), joint.GetLocalPos1Attr(), joint.GetLocalRot1Attr()),
                ]
            ):
                targets = bodies.GetTargets()
                pose = cache.GetLocalToWorldTransform(stage.GetPrimAtPath(targets[0])) if targets else Gf.Matrix4d(1)
                axis = pose.TransformDir(Gf.Rotation(Gf.Quatd(turn.Get())).TransformDir(Gf.Vec3d(0, 0, 1)))
                ends.append((pose.Transform(Gf.Vec3d(at.Get())), axis))
            # samples are 60 in a second, and time codes 24: between samples it is interpolated
            assert (ends[0][0] - ends[1][0]).GetLength() < 1e-3
            assert abs(ends[0][1] * ends[1][1]) == pytest.approx(1, abs=1e-6)
    # a rod of steel 0.2 m long, 15 mm in radius
    crank = next(m for name, _, m in masses(stage) if name == "crank")
    mass = 7800 * math.pi * 0.015**2 * 0.2
    assert crank.GetMassAttr().Get() == pytest.approx(mass, rel=1e-6)
    moments = sorted(crank.GetDiagonalInertiaAttr().Get())
    assert moments == pytest.approx([mass * 0.015**2 / 2] + 2 * [mass * (3 * 0.015**2 + 0.2**2) / 12], rel=1e-5)


def read_glb(path):
    data = path.read_bytes()
    magic, version, length = struct.unpack_from("<4sII", data)
    assert magic == b"glTF" and version == 2 and length == len(data)
    n, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON"
    m, kind = struct.unpack_from("<I4s", data, 20 + n)
    assert kind == b"BIN\0" and 28 + n + m == length
    return json.loads(data[20 : 20 + n]), data[28 + n :]


def rows(document, binary, k):
    accessor = document["accessors"][k]
    view = document["bufferViews"][accessor["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    numbers = struct.unpack_from(f"<{accessor['count'] * width}f", binary, view["byteOffset"])
    return [numbers[i : i + width] for i in range(0, len(numbers), width)]


@pytest.mark.parametrize("scene", ["four-bar", "humanoid", "bouncing-ball"])
def test_gltf_says_where_bodies_are(tmp_path, scene):
    path, usd = tmp_path / "x.glb", tmp_path / "x.usda"
    holonom("export", scene, "-o", path, "--time", 1)
    holonom("export", scene, "-o", usd, "--time", 1)
    document, binary = read_glb(path)
    centres = {name: list(mass.GetCenterOfMassAttr().Get()) for name, _, mass in masses(Usd.Stage.Open(str(usd)))}
    [animation] = document["animations"]
    last = {}
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        times = rows(document, binary, sampler["input"])
        values = rows(document, binary, sampler["output"])
        assert len(times) == len(values) and times[-1][0] == pytest.approx(1.0)
        last[channel["target"]["node"], channel["target"]["path"]] = values[-1]
    there, seen = final(scene, 1), 0
    for k, node in enumerate(document["nodes"]):
        if node.get("name") in there:
            at = last.get((k, "translation"), node.get("translation"))
            turn = last.get((k, "rotation"), node.get("rotation"))
            assert math.hypot(*turn) == pytest.approx(1, abs=1e-6)
            arm = turned(turn, centres[node["name"]])
            assert [a + b for a, b in zip(at, arm)] == pytest.approx(there[node["name"]]["com"], abs=1e-5)
            seen += 1
    assert seen == len(there)


def test_mcap_plays_quantities_and_poses(tmp_path):
    path, recording = tmp_path / "x.mcap", tmp_path / "run.csv"
    holonom("export", "four-bar", "-o", path, "--time", 1)
    holonom("run", "four-bar", "--time", 1, "--rate", 60, "--out", recording)
    with open(recording) as f:
        table = list(csv.DictReader(f))
    there = final("four-bar", 1)
    with open(path, "rb") as f:
        reader = make_reader(f)
        counts = reader.get_summary().statistics.channel_message_counts
        messages = [(s.name, c.topic, m.log_time, json.loads(m.data)) for s, c, m in reader.iter_messages()]
    assert sorted(counts.values()) == [len(table), len(table)] and len(messages) == 2 * len(table)
    rows = [m for m in messages if m[1] == "/quantities"]
    for (_, _, time, row), expected in zip(rows, table):
        assert time == round(float(expected["time"]) * 1e9)
        for name, value in expected.items():
            assert row[name] == pytest.approx(float(value), abs=1e-12, nan_ok=True), name
    name, _, _, last = [m for m in messages if m[1] == "/tf"][-1]
    assert name == "foxglove.FrameTransforms" and [t["child_frame_id"] for t in last["transforms"]] == list(there)
    # half way along the crank is its centre, and one end of it is its origin
    crank = last["transforms"][0]
    at, turn = [crank["translation"][k] for k in "xyz"], [crank["rotation"][k] for k in "xyzw"]
    assert math.dist(at, there["crank"]["com"]) == pytest.approx(0.1, abs=1e-9)
    w, *xyz = there["crank"]["quaternion"]
    # a quaternion and its negative are the same orientation
    assert abs(sum(a * b for a, b in zip(turn, [*xyz, w]))) == pytest.approx(1, abs=1e-12)


def test_a_recording_is_exported_as_its_run_was(tmp_path):
    recording = tmp_path / "run.parquet"
    holonom("run", "crane", "--time", 1, "--out", recording, "--rate", 60, "--set", "run.tolerance=1e-9")
    holonom("export", recording, "-o", tmp_path / "a.usda")
    holonom("export", "crane", "-o", tmp_path / "b.usda", "--time", 1, "--set", "run.tolerance=1e-9")
    assert (tmp_path / "a.usda").read_text() == (tmp_path / "b.usda").read_text()


def test_what_cannot_be_is_said(tmp_path):
    def says(code, *arguments):
        done = holonom("export", *arguments, check=False)
        assert done.returncode == code, done.stderr
        return done.stderr

    assert "are written as" in says(2, "crane", "-o", tmp_path / "x.obj")
    recording = tmp_path / "run.parquet"
    holonom("run", "crane", "--time", 0.1, "--out", recording, "--columns", "energy.*")
    assert "no column" in says(2, recording, "-o", tmp_path / "x.glb")
    assert "--rate is 0" in says(2, "crane", "-o", tmp_path / "x.glb", "--rate", 0)
    assert not (tmp_path / "x.glb").exists()
