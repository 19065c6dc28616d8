"""Heaps beside MuJoCo: the same bodies fall into the same bin, two seconds, 1/240 s a step, in one run.

    python benches/peers/heaps.py [--holonom PROGRAM] [--rounds N] [CASE ...]

needs the package mujoco (requirements.txt). Bodies are those of `holonom bench heap-KIND-N`, built here from their
definition. Of every step the fastest of all rounds counts for both programs. Overlap is what shapes share: of ours as
`holonom bench` finds it anew after every step, of MuJoCo the deepest of its own contacts at any step. MuJoCo has its own
defaults but for the elliptic cone, which is the law of friction that ours solves."""

import argparse
import json
import pathlib
import subprocess
import time

import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = [f"heap-{kind}-{n}" for n in (60, 200, 1000) for kind in ("spheres", "boxes", "mixed")]
STEP, STEPS, LAST = 1 / 240, 480, 120
GOLDEN, DENSITY, PITCH, WALL, HEIGHT, FRICTION = 0.6180339887498949, 1000.0, 0.17, 0.1, 3.0, 0.3


def half_width(n):
    return 0.12 * max(np.cbrt(float(n)), 2.0)


def thrown(kind, i, n):
    """Geom type and sizes, place, quaternion (scalar first), velocity."""
    u = [(10 * i + k + 1) * GOLDEN % 1.0 for k in range(10)]
    part = {"spheres": 0, "boxes": 1, "mixed": i % 4}[kind]
    shape = [
        ("sphere", [0.04 + 0.02 * u[0]]),
        ("box", [0.03 + 0.03 * x for x in u[:3]]),
        ("capsule", [0.02 + 0.02 * u[0], 0.02 + 0.03 * u[1]]),
        ("cylinder", [0.03 + 0.02 * u[0], 0.03 + 0.02 * u[1]]),
    ][part]
    wide = half_width(n)
    side = int(2 * wide / PITCH)
    cell = np.array([i % side, i // side % side, i // side // side])
    at = np.array([0.1 - wide, 0.1 - wide, 0.12]) + PITCH * cell + 0.02 * (np.array(u[3:6]) - 0.5)
    turn = np.array([u[9] + 0.1, u[6] - 0.5, u[7] - 0.5, u[8] - 0.5])
    return shape, at, turn / np.linalg.norm(turn), np.array([u[1] - 0.5, u[2] - 0.5, 0.0])


def mjcf(kind, n):
    text = lambda x: " ".join(repr(float(a)) for a in x)
    wide = half_width(n)
    lines = [
        f'<mujoco><compiler angle="radian"/><size memory="1G"/><option timestep="{STEP!r}" gravity="0 0 -9.81" cone="elliptic"/>',
        f'<default><geom friction="{FRICTION} 0 0" density="{DENSITY}" condim="3"/></default>',
        '<worldbody><geom type="plane" size="0 0 1"/>',
    ]
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        far = wide + WALL / 2
        size = [WALL / 2 if x else wide + WALL, WALL / 2 if y else wide + WALL, HEIGHT / 2]
        lines.append(f'<geom type="box" size="{text(size)}" pos="{text([x * far, y * far, HEIGHT / 2])}"/>')
    for i in range(n):
        (shape, size), at, turn, _ = thrown(kind, i, n)
        lines.append(f'<body pos="{text(at)}" quat="{text(turn)}"><freejoint/><geom type="{shape}" size="{text(size)}"/></body>')
    return "\n".join(lines + ["</worldbody></mujoco>"])


def ours(program, case):
    done = subprocess.run([program, "bench", case, "--json"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)["steps"][0]


def mujoco_run(kind, n):
    """Seconds of every step, and the deepest overlap."""
    m = mujoco.MjModel.from_xml_string(mjcf(kind, n))
    d = mujoco.MjData(m)
    for i in range(n):
        d.qvel[6 * i : 6 * i + 3] = thrown(kind, i, n)[3]
    seconds, deepest = np.zeros(STEPS), 0.0
    for k in range(STEPS):
        t = time.thread_time()
        mujoco.mj_step(m, d)
        seconds[k] = time.thread_time() - t
        deepest = max(deepest, -min(d.contact.dist[: d.ncon], default=0.0))
    return seconds, deepest


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--holonom", default=str(ROOT / "target/release/holonom"))
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("cases", nargs="*", default=CASES)
    options = options.parse_args()
    print(f"MuJoCo {mujoco.__version__}; ms per step: mean of {STEPS} steps, and of the last {LAST}")
    print("| case | ours | last | MuJoCo | last | ratio | ratio last | overlap, ours | MuJoCo |")
    print("|---|---|---|---|---|---|---|---|---|")
    for case in options.cases:
        _, kind, n = case.split("-")
        mine, theirs, deepest = [], [], 0.0
        for _ in range(options.rounds):
            mine.append(ours(options.holonom, case))
            seconds, overlap = mujoco_run(kind, int(n))
            theirs.append(seconds)
            deepest = max(deepest, overlap)
        least = np.min(theirs, axis=0) * 1e3
        us, last = (min(row[key] for row in mine) / 1e3 for key in ("us_mean", "us_last"))
        a, b = least.mean(), least[-LAST:].mean()
        overlap = max(row["overlap"] for row in mine)
        print(
            f"| {case} | {us:.2f} | {last:.2f} | {a:.2f} | {b:.2f} | {us / a:.2f} | {last / b:.2f} | {overlap:.1e} m | {deepest:.1e} m |",
            flush=True,
        )


if __name__ == "__main__":
    main()
