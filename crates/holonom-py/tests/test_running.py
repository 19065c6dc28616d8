"""Through time: the same bits as the command, recordings, snapshots, interruption."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import PENDULUM

import holonom

SCENES = ["pendulum", "double-pendulum", "four-bar", "gear-train", "rope", "excavator", "bouncing-ball", "whipple-bicycle"]


@pytest.mark.parametrize("scene", SCENES)
def test_the_hash_of_the_command(scene, command):
    said = command("run", scene, "--time", "0.3").stdout
    hash_of_command = next(line.split()[1] for line in said.splitlines() if line.startswith("hash"))
    sim = holonom.Simulation(holonom.load(scene))
    sim.run(0.3)
    assert sim.hash() == hash_of_command
    recorded = holonom.Simulation(holonom.load(scene))
    recorded.run(0.3, record=["energy.*"])
    assert recorded.hash() == hash_of_command


def test_options_have_the_names_of_the_command(command):
    said = command("run", "double-pendulum", "--time", "0.2", "--dt", "0.002", "--integrator", "rk4", "--solver", "dense").stdout
    sim = holonom.Simulation(holonom.load("double-pendulum"), dt=0.002, integrator="rk4", solver="dense")
    sim.run(0.2)
    assert sim.hash() in said
    assert sim.settings["integrator"] == "rk4" and sim.settings["dt"] == 0.002
    with pytest.raises(holonom.UsageError, match="did you mean `rattle`"):
        holonom.Simulation(holonom.load("pendulum"), integrator="ratle")
    with pytest.raises(TypeError):
        holonom.Simulation(holonom.load("pendulum"), nothing=1)


@pytest.mark.parametrize("options", [{}, {"dt": 1e-3}, {"integrator": "sdirk4"}])
def test_a_run_in_parts_has_the_bits_of_a_whole_one(options):
    model = holonom.load("double-pendulum")
    whole, parts, asked = (holonom.Simulation(model, **options) for _ in range(3))
    whole.run(0.5)
    for t in [0.1, 0.2345, 0.2345, 0.5]:
        parts.run(t)
    assert parts.hash() == whole.hash()
    for t in np.linspace(0.05, 0.5, 10):
        asked.run(float(t))
        asked.energy(), asked.reactions(), asked.contacts(), asked.certificate(), asked.linearise()
        asked.quantity("energy.kinetic"), asked.poses(), asked.joint_positions(), asked.accelerations()
    assert asked.hash() == whole.hash(), "questions change nothing"


def test_recordings():
    sim = holonom.Simulation(holonom.loads(PENDULUM))
    r = sim.run(1.0, record=["pin.*", "energy.*"], rate=50)
    assert len(r) == 51 and r.time[0] == 0 and r.time[-1] == 1
    assert np.allclose(np.diff(r.time), 0.02, atol=1e-12)
    assert r.units["pin.force.z"] == "N" and r.vector("pin.force").shape == (51, 3)
    assert np.ptp(r["energy.total"]) < 1e-9 * np.ptp(r["energy.kinetic"])
    # a quarter of the weight of a thin rod that is let go; this one is 0.05 m thick
    inertia = 1 / 12 * (1 + 0.05**2) + 0.25
    assert r["pin.force.z"][0] == pytest.approx(sim.model.total_mass * 9.81 * (1 - 0.25 / inertia), rel=1e-12)
    assert r.statistics["steps"] > 0 and r.statistics["to"] == 1 and r.warning is None
    assert "energy.total" in r and list(r)[0] == "time" and r.to_numpy().shape == (51, len(r.names))
    with pytest.raises(holonom.UnknownNameError):
        r["nothing"]
    with pytest.raises(holonom.Error, match="did you mean `pin.force"):
        sim.run(2.0, record="pin.forc.*")
    assert sim.time == 1.0


def test_recordings_are_those_of_the_command(tmp_path, command):
    file = tmp_path / "swing.parquet"
    command("run", "four-bar", "--time", "0.5", "--columns", "*.force.*,time", "--out", file)
    theirs = holonom.read_recording(file)
    ours = holonom.Simulation(holonom.load("four-bar")).run(0.5, record=["*.force.*", "time"])
    assert ours.names == theirs.names and ours.units == theirs.units and ours.notes == theirs.notes
    assert np.array_equal(ours.to_numpy(), theirs.to_numpy(), equal_nan=True)
    for suffix in ["csv", "parquet", "hrec"]:
        again = tmp_path / f"again.{suffix}"
        assert ours.save(again) == len(ours)
        assert np.array_equal(holonom.read_recording(again).to_numpy(), ours.to_numpy())
    with pytest.raises(holonom.Error):
        ours.save(tmp_path / "again.csv" / "nowhere.csv")


def test_tables():
    r = holonom.Simulation(holonom.loads(PENDULUM)).run(0.1, record="pin.*")
    for library, check in [
        ("pandas", lambda: r.to_pandas()["pin.coordinate"].to_numpy()),
        ("polars", lambda: r.to_polars()["pin.coordinate"].to_numpy()),
        ("pyarrow", lambda: r.to_arrow()["pin.coordinate"].to_numpy()),
    ]:
        try:
            __import__(library)
        except ImportError:
            with pytest.raises(ImportError):
                check()
        else:
            assert np.array_equal(check(), r["pin.coordinate"])


def test_states():
    sim = holonom.Simulation(holonom.load("double-pendulum"))
    sim.run(0.2)
    kept, data, at = sim.state, sim.save(), sim.hash()
    assert kept.hash() == at and holonom.State.from_bytes(sim.model, data) == kept
    sim.run(0.4)
    assert sim.hash() != at
    sim.state = kept
    assert sim.hash() == at and sim.time == 0.2
    sim.run(0.4)
    sim.restore(data)
    assert sim.hash() == at
    copy = sim.copy()
    copy.run(0.3)
    assert sim.hash() == at and copy.time == 0.3
    sim.reset()
    assert sim.state == sim.model.initial_state and sim.time == 0
    faster = kept.replace(v=2 * kept.v)
    sim.state = faster
    sim.project()
    assert np.allclose(sim.state.v, 2 * kept.v, atol=1e-9)
    for wrong in [b"", data[:-1], data[:20] + b"x" + data[21:]]:
        with pytest.raises(holonom.Error):
            sim.restore(wrong)
    with pytest.raises(holonom.UsageError):
        kept.replace(q=[1.0])
    with pytest.raises(holonom.UsageError):
        sim.state = holonom.load("pendulum").initial_state
    sim.time = 5.0
    assert sim.time == 5.0


def test_a_motion_that_cannot_be_followed(tmp_path, command):
    scene = PENDULUM + '[body.bob]\nkind = "particle"\nmass = 1e-9\nat = [1, 0, 0]\n[force.s]\nkind = "spring"\na = "rod"\nb = "bob"\nstiffness = 1e9\nlength = 0.01\n'
    file = tmp_path / "stiff.toml"
    file.write_text(scene)
    sim = holonom.Simulation(holonom.load(file), dt=0.01, integrator="euler")
    with pytest.raises(holonom.StepError) as caught:
        sim.run(5.0, record="energy.*")
    e = caught.value
    said = command("run", file, "--dt", "0.01", "--integrator", "euler", "--time", "5", check=False).stderr
    ours, theirs = str(e).splitlines(), said.strip().splitlines()
    assert ours == [line for line in theirs if "last good state" not in line]
    assert e.code.startswith("E06") and len(e.recording) > 0
    assert np.isfinite(sim.state.q).all() and sim.time < 5


def test_progress(capsys):
    sim = holonom.Simulation(holonom.load("double-pendulum"), dt=1e-4)
    seen = []
    sim.run(0.2, progress=lambda now, end: seen.append((now, end)))
    assert seen and seen[-1] == (0.2, 0.2) and seen == sorted(seen)
    sim.run(0.3, progress=True)
    assert "0.300 of 0.3 s" in capsys.readouterr().err
    with pytest.raises(ZeroDivisionError):
        sim.run(0.4, progress=lambda now, end: 1 / 0)


INTERRUPTED = """
import holonom, os, signal, sys, threading, time
sim = holonom.Simulation(holonom.load("double-pendulum"), dt=1e-6)
batch = holonom.Batch(sim.model, 1, dt=1e-6)
if "batch" in "WAY":
    sim = batch[0]
def ctrl_c():
    global pressed
    pressed = time.process_time()  # of our own work: others may keep the machine busy
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.3, ctrl_c).start()
try:
    WAY
except KeyboardInterrupt as e:
    late = time.process_time() - pressed
    assert 0 < sim.time < 1000 and late < 0.1, late
    sim.step(1e-3)  # it goes on from there
    print("interrupted", late)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("way", ["sim.run(1000.0)", "sim.step(1e-6, 10**9)", "batch.run(1000.0)", "batch.step(1e-6, 10**9)"])
def test_ctrl_c_within_a_tenth_of_a_second(way):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED.replace("WAY", way)], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("interrupted"), done.stderr


def test_others_run_while_time_is_stepped():
    sim = holonom.Simulation(holonom.load("double-pendulum"), dt=1e-5)
    counted = 0
    running = threading.Event()
    thread = threading.Thread(target=lambda: (running.set(), sim.step(1e-5, 40_000)))
    thread.start()
    running.wait()
    while thread.is_alive():
        counted += 1
        time.sleep(0.001)
    thread.join()
    assert counted > 20, "the interpreter was held"


def test_memory_is_flat():
    resource = pytest.importorskip("resource")
    model = holonom.loads(PENDULUM)

    def once():
        sim = holonom.Simulation(model)
        sim.step(1e-3)
        sim.poses(), sim.energy(), sim.save()
        try:
            sim.pose("nothing")
        except holonom.Error:
            pass

    def resident():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * resource.getpagesize()

    if not os.path.exists("/proc/self/statm"):
        pytest.skip("no /proc on this system")
    for _ in range(1000):
        once()
    gc.collect()
    before = resident()
    for _ in range(10_000):
        once()
    gc.collect()
    assert resident() - before < 4_000_000


def test_a_batch_has_the_bits_of_single_simulations():
    model = holonom.load("double-pendulum")
    alone = holonom.Simulation(model)
    alone.step(1e-3, 50)
    for threads in [1, 3]:
        with holonom.Batch(model, 7, threads=threads) as batch:
            batch.step(1e-3, 50)
            assert {s.hash() for s in batch} == {alone.hash()} and len(batch) == 7
            selection = model.select("energy.total")
            assert batch.read(selection).shape == (7, 1)
            batch.reset()
            assert batch[3].time == 0


def test_a_step_costs_what_it_costs_in_rust():
    """A step called from Python against the same steps counted in Rust: the best of many rounds of each."""
    model = holonom.load("double-pendulum")
    sim = holonom.Simulation(model, integrator="rk4")
    n, rust, python = 500, np.inf, np.inf
    for _ in range(60):
        sim.reset()
        t0 = time.perf_counter()
        sim.step(1e-4, n)
        t1 = time.perf_counter()
        sim.reset()
        step = sim.step
        t2 = time.perf_counter()
        for _ in range(n):
            step(1e-4)
        t3 = time.perf_counter()
        rust, python = min(rust, (t1 - t0) / n), min(python, (t3 - t2) / n)
    print(f"a step in Rust {1e6 * rust:.2f} us, from Python {1e6 * python:.2f} us")
    assert python - rust < 2e-6
