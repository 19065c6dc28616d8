"""Studies: the same rows whoever makes them, and none lost with the worker that was to make it."""

import os
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import holonom
import numpy as np
import pytest

STUDY = """
scene = "rod.toml"
[run]
time = 0.3
dt = 1e-3
integrator = "rk4"
[sample]
count = 60
seed = 3
[factor.density]
path = "body.rod.density"
kind = "log-normal"
median = 7800
deviation = 0.2
unit = "kg/m^3"
[factor.pull]
path = "gravity"
values = [[0, 0, -9.81], [0, 0, -1.62]]
[outcome]
load = "max(pin.force.norm)"
start = "initial(pin.force.norm)"
down = "time_of(rod.pos.z < -0.05)"
"""


@pytest.fixture
def study(tmp_path):
    from conftest import PENDULUM

    (tmp_path / "rod.toml").write_text(PENDULUM)
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


@pytest.fixture
def local(study, tmp_path):
    """The table of this process, and its file."""
    table = holonom.sweep(study, out=tmp_path / "local", jobs=2)
    return table, (tmp_path / "local.csv").read_bytes()


def same(table, path, local):
    assert len(table) == 120 and not table.failed.any()
    assert list(table["hash"]) == list(local[0]["hash"])
    assert np.array_equal(table["load"], local[0]["load"]) and np.array_equal(table["density"], local[0]["density"])
    if path is not None:
        assert path.read_bytes() == local[1]


def test_here(study, tmp_path, local, command):
    command("sweep", study, "-o", tmp_path / "command", "--quiet")
    assert (tmp_path / "command.csv").read_bytes() == local[1]
    assert (tmp_path / "command.parquet").read_bytes() == (tmp_path / "local.parquet").read_bytes()
    same(holonom.sweep(study), None, local)
    plan = holonom.read_study(study)
    assert (plan.runs, plan.factors, plan.outcomes) == (120, ["density", "pull"], ["load", "start", "down"])
    assert plan.settings(61)[1] == "gravity=[0, 0, -1.62]"
    table = local[0]
    assert table.units["density"] == "kg/m^3" and table.units["load"] == "N" and table.units["down"] == "s"
    assert np.allclose(table["start"][:60] / table["start"][60:], 9.81 / 1.62, rtol=1e-9)
    pandas = pytest.importorskip("pandas")
    read = pandas.read_parquet(tmp_path / "local.parquet")
    assert list(read.columns) == list(table) and read["hash"].tolist() == table["hash"]
    assert np.array_equal(read["load"], table["load"])
    text = pandas.read_csv(tmp_path / "local.csv")
    assert np.array_equal(text["load"], table["load"]) and (text["status"] == "ok").all()


def test_executors(study, tmp_path, local):
    with ThreadPoolExecutor(2) as pool:
        same(holonom.sweep(study, executor=pool, out=tmp_path / "threads"), tmp_path / "threads.csv", local)
    spawn = get_context("spawn")
    counts = []
    table = holonom.sweep(
        study,
        executor=lambda: ProcessPoolExecutor(2, mp_context=spawn),
        out=tmp_path / "processes",
        progress=lambda n, of: counts.append((n, of)),
    )
    same(table, tmp_path / "processes.csv", local)
    assert counts[-1] == (120, 120) and sorted(counts) == counts


def test_a_pool_whose_worker_dies_is_made_anew(study, tmp_path, local):
    pools = []

    def make():
        pools.append(ProcessPoolExecutor(2, mp_context=get_context("spawn")))
        return pools[-1]

    def kill(finished, of):
        if 20 <= finished < 100 and len(pools) == 1:
            for process in list(pools[0]._processes.values())[:1]:
                process.kill()

    table = holonom.sweep(study, executor=make, out=tmp_path / "killed", progress=kill)
    assert len(pools) > 1
    same(table, tmp_path / "killed.csv", local)


def test_it_goes_on_where_it_was(study, tmp_path, local):
    class Enough(Exception):
        pass

    def stop(finished, of):
        if finished >= 30:
            raise Enough

    out = tmp_path / "parts"
    with ThreadPoolExecutor(2) as pool, pytest.raises(Enough):
        holonom.sweep(study, executor=pool, out=out, progress=stop)
    assert not (tmp_path / "parts.csv").exists()
    there = holonom._holonom.StudyRows(holonom.read_study(study), out, False)
    assert 30 <= there.finished < 120
    del there
    same(holonom.sweep(study, out=out), tmp_path / "parts.csv", local)
    # a changed study does not take the rows over
    study.write_text(STUDY.replace("seed = 3", "seed = 4"))
    with pytest.raises(holonom.UsageError, match="other factors, samples or outcomes"):
        holonom.sweep(study, out=out)
    assert len(holonom.sweep(study, out=out, force=True)) == 120


def test_dask_with_a_worker_killed(study, tmp_path, local):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        killed = []

        def kill(finished, of):
            if 20 <= finished < 100 and not killed:
                killed.append(client.run(os.getpid))
                os.kill(next(iter(killed[0].values())), signal.SIGKILL)

        table = holonom.sweep(study, client=client, out=tmp_path / "dask", progress=kill)
        assert killed
        same(table, tmp_path / "dask.csv", local)


def test_wrong_calls(study, tmp_path):
    with pytest.raises(holonom.UsageError, match="one of them"):
        holonom.sweep(study, client=1, executor=2)
    with pytest.raises(holonom.UsageError, match="threads of this process"):
        holonom.sweep(study, executor=2, jobs=3)
    with pytest.raises(holonom.UsageError, match="counted from 0"):
        holonom.read_study(study).row(120)
    with pytest.raises(holonom.Error, match="no study"):
        holonom.sweep(tmp_path / "nothing.toml")
    study.write_text(STUDY.replace("pin.force", "pni.force"))
    with pytest.raises(holonom.Error) as caught:
        holonom.sweep(study)
    assert caught.value.line == 20 and "did you mean" in str(caught.value)
