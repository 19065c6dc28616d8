"""What compare.py runs inside its environment: all measurements, interleaved, then the report."""

import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import subprocess
import time

import models
import mujoco_peer
import ours
import pinocchio_peer
import report
import robots

ROOT = pathlib.Path(__file__).resolve().parents[2]
EVALUATIONS = ["a16", "a32", "a64", "a128", "b16", "b32", "b64", "b128", "b256", "c128", "d127", "e20", "e40"]
ALONE = ["a1024", "a8192", "b1024", "b8192"]  # beyond what the peers in reduced coordinates can hold or answer
STEPS = ["a16", "a64", "a128", "b16", "b64", "b128", "c128"]
# MuJoCo loses longer ball chains in their random states after 0.3 s, so that no more of its steps are timed there
CASE_STEPS, ROBOT_STEPS, CHUNK = 300, 1000, 10


def least_lap(lap, seconds=0.15):
    """Microseconds per evaluation: the fastest of many short laps, CPU time of the thread."""
    t = time.thread_time()
    lap(1)
    k = max(1, int(5e-4 / max(time.thread_time() - t, 1e-7)))
    best, spent = float("inf"), 0.0
    while spent < seconds:
        t = time.thread_time()
        lap(k)
        t = time.thread_time() - t
        spent += t
        best = min(best, t / (2 * k) * 1e6)
    return best


def evaluate(program, name, rounds):
    """One row: holonom and every peer, in turn, several times."""
    case = models.case(name)
    row = {"case": name, "n": case.n, "peers": []}
    laps = []
    if name not in ALONE:
        states = [models.random_state(case, models.SEED), models.random_state(case, models.SEED + 1)]
        expected = models.reference(case, states[0])
        for peer in (mujoco_peer, pinocchio_peer):
            for label, found, lap in peer.evaluations(case, states):
                error = models.error(expected, found)
                laps.append(lap)
                row["peers"].append({"name": label, "us": float("inf"), "error": error, "right": error <= report.RIGHT})
    best = float("inf")
    for _ in range(rounds):
        us, error = ours.evaluation(program, name)
        best = min(best, us)
        for peer, lap in zip(row["peers"], laps):
            peer["us"] = min(peer["us"], least_lap(lap))
    row["ours"] = {"name": ours.NAME, "us": best, "error": error, "right": error <= report.RIGHT}
    return row


def mean_of_least(runs):
    """Each chunk of steps at its fastest, and the mean of these, in microseconds: as `holonom bench --steps` does it."""
    return sum(map(min, zip(*runs))) / len(runs[0]) * 1e6


def measure_steps(program, row, file, peer, rounds):
    """MuJoCo repeats its run as long as holonom takes for one, at least three times."""
    row |= {"us": float("inf"), "gap": 0.0, "mujoco": None, "why": "", "joint": None}
    joint = {"us": float("inf"), "gap": 0.0} if row["integrator"] == "euler" else None
    runs = []
    for _ in range(rounds):
        t = time.monotonic()
        us, gap = ours.step(program, file, row["integrator"])
        row["us"], row["gap"] = min(row["us"], us), max(row["gap"], gap)
        if joint:
            us, gap = ours.step(program, file, "euler", "--coordinates", "joint")
            joint["us"], joint["gap"] = min(joint["us"], us), max(joint["gap"], gap)
        until = time.monotonic() + min(time.monotonic() - t, 3.0)
        try:
            runs += [peer(time.thread_time) for _ in range(3)]
            while time.monotonic() < until:
                runs.append(peer(time.thread_time))
        except RuntimeError as problem:
            row["why"] = f"does not get through: {problem}"
            continue
    row["joint"] = joint
    if runs and not row["why"]:
        row["mujoco"] = mean_of_least(runs)
    return row


def case_steps(program, name, folder, rounds):
    case = models.case(name)
    state = models.random_state(case)
    file = folder / f"{name}.toml"
    file.write_text(ours.scene(case, state))
    row = {"name": name, "text": name, "n": case.n, "integrator": "euler"}
    return measure_steps(program, row, file, mujoco_peer.case_steps(case, state, CASE_STEPS, CHUNK), rounds)


def robot_steps(program, folder, rounds):
    for name, text, file, free in robots.write(folder):
        peer, counts = mujoco_peer.robot_steps(file, free, ROBOT_STEPS, CHUNK)
        integrator = "euler" if name == "talos-plain" else "stepping"
        row = {"name": name, "text": f"{text} ({counts})", "integrator": integrator}
        yield measure_steps(program, row, file, peer, rounds)


def about(program, rounds):
    cpu = [x.split(":")[1].strip() for x in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if x.startswith("model name")]
    said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split()
    versions = {"holonom": said[-1] if said else "?", "MuJoCo": mujoco_peer.VERSION}
    versions |= {"Pinocchio": pinocchio_peer.VERSION, "example-robot-data": importlib.metadata.version("example-robot-data")}
    load = f"{os.getloadavg()[0]:.1f}"
    date = datetime.date.today().isoformat()
    return {"date": date, "cpu": cpu[0], "cores": os.cpu_count(), "load": load, "versions": versions, "rounds": rounds}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--holonom", default=str(ROOT / "target/release/holonom"))
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--note", default="", help="a sentence for the heading of the result")
    options.add_argument("--work", type=pathlib.Path, required=True)
    options = options.parse_args()
    options.holonom = str(pathlib.Path(options.holonom).resolve())
    os.chdir(options.work)  # MuJoCo writes its warnings to a file where it stands
    data = about(options.holonom, options.rounds) | {"note": options.note}
    data["evaluations"], data["steps"] = [], []
    for name in EVALUATIONS + ALONE:
        data["evaluations"].append(evaluate(options.holonom, name, options.rounds))
        print(report.evaluations(data["evaluations"])[-1], flush=True)
    for name in STEPS:
        data["steps"].append(case_steps(options.holonom, name, options.work, options.rounds))
        print(report.steps(data["steps"])[-1], flush=True)
    for row in robot_steps(options.holonom, options.work, options.rounds):
        data["steps"].append(row)
        print(report.steps(data["steps"])[-1], flush=True)
    write(data)


def write(data):
    docs = ROOT / "docs"
    (docs / "peers.json").write_text(json.dumps(data, indent=1) + "\n")
    report.insert(docs / "performance.md", report.markdown(data))
    for kind, what in (("a", "ball joints"), ("b", "hinges")):
        evaluations, steps = report.curves(data, kind)
        (docs / f"images/peers-{kind}-evaluation.svg").write_text(report.plot(f"One evaluation, chain on {what}", evaluations))
        (docs / f"images/peers-{kind}-step.svg").write_text(report.plot(f"One step of 1 ms, chain on {what}", steps))


if __name__ == "__main__":
    main()
