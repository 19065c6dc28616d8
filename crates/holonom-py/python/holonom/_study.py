"""Studies: a scene run many times with other values, here or on many machines."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _holonom
from ._errors import UnknownNameError, UsageError
from ._holonom import StudyPlan, StudyRows

StudyColumn = NDArray[np.float64] | list[str]

_MOST_AT_ONCE = 64
"""Runs of a task at most: what is lost with a worker."""


class StudyTable:
    """The rows of a study, in the order of its runs: `run`, the factors, the outcomes, `end` (s), `steps`, `status`
    (`ok` or `failed`), `code` and `message` of what failed, `warning`, `hash` of the last state, and the scene's hash,
    version and seed that it can be repeated with."""

    columns: dict[str, StudyColumn]
    """Values by the names of the columns: arrays of numbers, lists of texts."""
    units: dict[str, str]
    """Units by the names of the columns."""
    metadata: dict[str, Any]
    """What was run: `factors`, `outcomes`, `scene`, `program`."""
    files: tuple[str, str] | None
    """The tables that were written, CSV and Parquet."""

    def __init__(
        self,
        columns: dict[str, StudyColumn],
        units: dict[str, str],
        metadata: str,
        files: tuple[str, str] | None = None,
    ) -> None:
        self.columns = columns
        self.units = units
        self.metadata = json.loads(metadata)
        self.files = files

    def __getitem__(self, name: str) -> StudyColumn:
        try:
            return self.columns[name]
        except KeyError:
            raise UnknownNameError(f"the table has no column `{name}`: columns are {', '.join(self.columns)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.columns["run"])

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which runs failed."""
        return np.array([status == "failed" for status in self.columns["status"]], dtype=np.bool_)

    def to_pandas(self) -> Any:
        """As a pandas DataFrame; units are in its `attrs`."""
        frame = import_module("pandas").DataFrame(self.columns)
        frame.attrs["units"] = self.units
        return frame


def read_study(path: str | os.PathLike[str], *, allow_path: Sequence[str | os.PathLike[str]] = ()) -> StudyPlan:
    """Read a study file: `runs`, `factors`, `outcomes`, `settings(run)`, and one row at a time, `row(run)`."""
    return _holonom.read_study(os.fspath(path), [os.fspath(p) for p in allow_path])


_plans: dict[str, StudyPlan] = {}
"""Studies that this worker has read, a few."""


def _plan(portable: str) -> StudyPlan:
    plan = _plans.get(portable)
    if plan is None:
        if len(_plans) >= 4:
            _plans.clear()
        plan = _plans[portable] = StudyPlan.from_portable(portable)
    return plan


def _rows(portable: str, runs: Sequence[int]) -> list[bytes]:
    """What a worker does: these runs of a study, which it reads once."""
    plan = _plan(portable)
    return [plan.row(run) for run in runs]


class _Executor:
    """Tasks by an executor of `concurrent.futures`; by a function that makes one, a broken one is made anew."""

    def __init__(self, executor: Any, portable: str) -> None:
        self.make: Callable[[], Any] | None = executor if not hasattr(executor, "submit") else None
        self.own = self.make is not None
        self.executor = self.make() if self.make is not None else executor
        self.portable = portable
        self.workers = int(getattr(self.executor, "_max_workers", 0) or os.cpu_count() or 1)

    def submit(self, runs: list[int]) -> Any:
        from concurrent.futures import BrokenExecutor

        try:
            return self.executor.submit(_rows, self.portable, runs)
        except BrokenExecutor:
            self.again()
            return self.executor.submit(_rows, self.portable, runs)

    def again(self) -> None:
        if self.make is None:
            raise UsageError(
                "a worker of the executor has died, and with it the executor; pass a function that makes one"
                " (executor=lambda: ProcessPoolExecutor(8)), and it is made anew"
            ) from None
        self.executor.shutdown(wait=False)
        self.executor = self.make()

    def wait(self, tasks: list[Any]) -> list[tuple[Any, Any]]:
        from concurrent.futures import FIRST_COMPLETED, wait

        done = wait(tasks, return_when=FIRST_COMPLETED).done
        return [(task, task.exception() or task.result()) for task in done]

    def close(self) -> None:
        if self.own:
            self.executor.shutdown(wait=False, cancel_futures=True)


class _Dask:
    """Tasks by a client of Dask: its scheduler makes the tasks of a lost worker again elsewhere."""

    def __init__(self, client: Any, portable: str, retries: int) -> None:
        self.client, self.portable, self.retries = client, portable, retries
        self.workers = max(1, sum(client.nthreads().values()))

    def submit(self, runs: list[int]) -> Any:
        # with a key of its own: tasks are not taken for each other
        return self.client.submit(_rows, self.portable, runs, pure=False, retries=self.retries)

    def wait(self, tasks: list[Any]) -> list[tuple[Any, Any]]:
        done = import_module("distributed").wait(tasks, return_when="FIRST_COMPLETED").done
        return [(task, task.exception() if task.status == "error" else task.result()) for task in done]

    def close(self) -> None:
        pass


class _Ray:
    """Tasks by Ray, which makes those of a lost worker again."""

    def __init__(self, ray: Any, portable: str, retries: int) -> None:
        if not ray.is_initialized():
            ray.init()
        self.ray = ray
        self.remote = ray.remote(_rows).options(max_retries=retries)
        self.portable = ray.put(portable)
        self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))

    def submit(self, runs: list[int]) -> Any:
        return self.remote.remote(self.portable, runs)

    def wait(self, tasks: list[Any]) -> list[tuple[Any, Any]]:
        done, _ = self.ray.wait(tasks, num_returns=1)
        results = []
        for task in done:
            try:
                results.append((task, self.ray.get(task)))
            except self.ray.exceptions.RayError as error:
                results.append((task, error))
        return results

    def close(self) -> None:
        pass


def _spread(
    backend: _Executor | _Dask | _Ray,
    missing: list[int],
    retries: int,
    take: Callable[[bytes], None],
    tell: Callable[[], None],
) -> None:
    """Give all runs to workers, a few tasks ahead of them; what fails for another reason than the run itself is given
    out again."""
    size = max(1, min(_MOST_AT_ONCE, len(missing) // (8 * backend.workers)))
    chunks = [missing[k : k + size] for k in range(0, len(missing), size)]
    chunks.reverse()
    tasks: dict[Any, tuple[list[int], int]] = {}
    again: list[tuple[list[int], int]] = []
    try:
        while chunks or again or tasks:
            while (chunks or again) and len(tasks) < 3 * backend.workers:
                runs, tried = again.pop() if again else (chunks.pop(), 0)
                tasks[backend.submit(runs)] = (runs, tried)
            for task, result in backend.wait(list(tasks)):
                runs, tried = tasks.pop(task)
                if not isinstance(result, BaseException):
                    for row in result:
                        take(row)
                elif tried >= retries or isinstance(result, (UsageError, KeyboardInterrupt)):
                    raise result
                else:
                    again.append((runs, tried + 1))
                tell()
    finally:
        for task in tasks:
            cancel = getattr(task, "cancel", None)
            if cancel is not None:
                cancel()
        backend.close()


def sweep(
    study: str | os.PathLike[str] | StudyPlan,
    *,
    client: Any = None,
    executor: Any = None,
    jobs: int | None = None,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    retries: int = 3,
    progress: bool | Callable[[int, int], None] = False,
) -> StudyTable:
    """Make all runs of a study; its table.

    Where the runs are made: by `jobs` threads of this process (one for each core, if nothing is said); by a `client`,
    that of Dask (`distributed.Client`) or the module `ray`; or by an `executor` of `concurrent.futures`, or a function
    that makes one. Rows have the same bits wherever they are made. A task that is lost with its worker, or fails for
    another reason than its run, is made again up to `retries` times; a run that fails is a row with its error.

    With `out` every row is kept at once in `OUT.sweep`, and a study that was ended goes on where it was when it is
    begun again; the tables are `OUT.csv` and `OUT.parquet`, those of `holonom sweep`. `force` begins anew. `progress`
    shows a line on standard error, or is called with the numbers of finished and of all runs.
    """
    plan = study if isinstance(study, StudyPlan) else read_study(study)
    if client is not None and executor is not None:
        raise UsageError("a client and an executor: give one of them")
    if jobs is not None and (client is not None or executor is not None):
        raise UsageError("`jobs` is for threads of this process: leave it out with a client or an executor")
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs is {jobs}, must be at least 1")
    tell = _teller(progress, plan.runs)
    rows = StudyRows(plan, os.fspath(out), force) if out is not None else None
    here = client is None and executor is None
    if here and rows is not None:
        rows.run(jobs or os.cpu_count() or 1, lambda finished, failed: tell(finished))
    else:
        kept: list[bytes] = []

        def take(row: bytes) -> None:
            if rows is not None:
                rows.take(row)
            else:
                kept.append(row)

        def told() -> None:
            tell(rows.finished if rows is not None else len(kept))

        backend: _Executor | _Dask | _Ray
        if here:
            from concurrent.futures import ThreadPoolExecutor

            backend = _Executor(functools.partial(ThreadPoolExecutor, jobs or os.cpu_count() or 1), plan.portable())
        elif executor is not None:
            backend = _Executor(executor, plan.portable())
        elif getattr(client, "__name__", None) == "ray":
            backend = _Ray(client, plan.portable(), retries)
        else:
            backend = _Dask(client, plan.portable(), retries)
        missing = rows.missing() if rows is not None else list(range(plan.runs))
        _spread(backend, missing, retries, take, told)
    tell(plan.runs)
    if rows is None:
        return StudyTable(*_holonom.study_table(plan, kept))
    csv, parquet = rows.write()
    return StudyTable(*rows.table(), files=(os.fspath(csv), os.fspath(parquet)))


def _teller(progress: bool | Callable[[int, int], None], runs: int) -> Callable[[int], None]:
    if callable(progress):
        return lambda finished: progress(finished, runs)
    if not progress:
        return lambda finished: None

    def line(finished: int) -> None:
        end = "\n" if finished == runs else ""
        print(f"\r{finished} of {runs} runs", end=end, file=sys.stderr, flush=True)

    return line
