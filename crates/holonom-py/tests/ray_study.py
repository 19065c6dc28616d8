"""A study by Ray on this machine, one of its workers killed in the middle. Ray is large: `cargo xtask soak ray` installs
it and runs this, the usual tests do not."""

import os
import signal

import holonom
import psutil
import ray
from test_study import local, same, study

__all__ = ["local", "study"]


def test_ray_with_a_worker_killed(study, tmp_path, local):
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    killed = []

    def kill(finished, of):
        if 20 <= finished < 100 and not killed:
            for process in psutil.process_iter(["cmdline"]):
                words = process.info["cmdline"] or [""]
                if words[0].startswith("ray::_rows"):
                    os.kill(process.pid, signal.SIGKILL)
                    killed.append(process.pid)
                    return

    table = holonom.sweep(study, client=ray, out=tmp_path / "ray", progress=kill)
    assert killed
    same(table, tmp_path / "ray.csv", local)
    ray.shutdown()
