"""holonom, through its command line."""

import json
import subprocess

import numpy as np

import models

NAME = "holonom"


def bench(program, *arguments):
    done = subprocess.run([program, "bench", *map(str, arguments), "--json"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def evaluation(program, case):
    """Microseconds and the error (against the committed accelerations, or the residual of all equations)."""
    row = bench(program, case)["cases"][0]
    return row["us_min"], row["error"]


def step(program, file, integrator, *options):
    """Microseconds of a step of 1 ms and the largest gap of a joint."""
    row = bench(program, "--steps", file, "--integrator", integrator, "--dt", "1e-3", *options)["scene_steps"][0]
    return row["us_min"], row["gap"]


def quaternion(r):
    """Of a rotation matrix: the largest column of  4 q q^T."""
    k = np.array(
        [
            [1 + r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], 1 + r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
            [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], 1 - r[0, 0] + r[1, 1] - r[2, 2], r[1, 2] + r[2, 1]],
            [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1 - r[0, 0] - r[1, 1] + r[2, 2]],
        ]
    )
    column = k[:, np.argmax(np.diag(k))]
    return column / np.linalg.norm(column)


def numbers(x):
    return "[" + ", ".join(repr(float(a)) for a in x) + "]"


def scene(case, s):
    """A case in a state as a scene file, body by body."""
    lines = []
    for i, (p, joint) in enumerate(zip(case.parent, case.joint)):
        lines += [
            f"[body.link{i}]",
            "mass = 1",
            f"com = {numbers(models.CENTRE)}",
            f"inertia = {numbers(models.INERTIA)}",
            f"at = {numbers(s.origin[i])}",
            f"rotation = {numbers(quaternion(s.rotation[i]))}",
            f"velocity = {numbers(s.velocity[i])}",
            f"spin = {numbers(s.spin[i])}",
        ]
        if joint == "free":
            continue
        above = f"link{p}" if p >= 0 else "ground"
        lines += [
            f"[joint.joint{i}]",
            f'kind = "{"spherical" if joint == "ball" else "revolute"}"',
            f'a = {{ body = "{above}", at = {numbers(case.at[i])} }}',
            f'b = "link{i}"',
        ]
        if joint in "yz":
            lines.append(f"axis = {numbers(s.rotation[i] @ models.axis_of(joint))}")
    return "\n".join(lines) + "\n"
