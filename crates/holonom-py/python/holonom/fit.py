"""Fitting and optimising with gradients of runs: a small layer over `scipy.optimize` (`pip install scipy`).

Parameters are those of the scene, or any number that `set` of `load` can change (`body.rod.mass`). Derivatives
are those of the runs at hand: `minimise` goes through each run backwards, once for all parameters, `identify` beside it,
once for each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._errors import SceneError, StepError, UsageError
from ._holonom import Model, PushAlong, Rollout

Observed = str | PushAlong | Sequence[str | PushAlong]
Objective = Callable[[Rollout], tuple[Any, ...]]


@dataclass(frozen=True, eq=False)
class Optimum:
    """What was found."""

    parameters: dict[str, float]
    """The best values, by name."""
    model: Model
    """The scene with them."""
    value: float
    """The objective there."""
    converged: bool
    """Did the method say so?"""
    message: str
    """What it said."""
    runs: int
    """Runs and gradients that it took."""


def minimise(
    model: Model,
    start: Mapping[str, float],
    objective: Objective,
    *,
    duration: float,
    dt: float,
    observe: Observed,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    tolerance: float = 1e-12,
    most: int = 200,
) -> Optimum:
    """The parameters for which an objective of a run is least, from `start` on.

    `objective(run)` is given a `Rollout` of `duration` seconds in steps of `dt` seconds and returns its value and its
    derivatives by `run.values`, and where it depends on them by `run.rates`, in their shape. `bounds` are (least, most)
    by name. Where a scene with other numbers cannot be built or followed, the method takes a shorter way (L-BFGS-B).
    """
    from scipy.optimize import minimize  # type: ignore[import-untyped,unused-ignore]

    names, first, scale = _scaled(start)
    runs = 0

    def at(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        nonlocal runs
        runs += 1
        numbers = dict(zip(names, (x * scale).tolist()))
        try:
            run = model.changed(numbers).rollout(duration, dt, observe)
        except (SceneError, StepError):
            if runs == 1:
                raise
            return 1e300, np.zeros(len(names))
        value, by_values, *by_rates = objective(run)
        found = run.gradient(by_values, by_rates[0] if by_rates else None, parameters=numbers).parameters
        return float(value), np.array([found[n] for n in names]) * scale

    limits = [tuple(None if b is None else b / s for b in (bounds or {}).get(n, (None, None))) for n, s in zip(names, scale)]
    options = {"ftol": tolerance, "gtol": 0.0, "maxiter": most, "maxls": 40}
    found = minimize(at, first / scale, jac=True, method="L-BFGS-B", bounds=limits, options=options)
    best = dict(zip(names, (found.x * scale).tolist()))
    return Optimum(best, model.changed(best), float(found.fun), bool(found.success), str(found.message), runs)


def identify(
    model: Model,
    start: Mapping[str, float],
    measured: ArrayLike,
    *,
    dt: float,
    observe: Observed,
    every: int = 1,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    tolerance: float = 1e-10,
    most: int = 100,
) -> Optimum:
    """The parameters with which a run comes nearest to what was measured: least sum of squares of what is left.

    `measured` has a row for each moment and a column for each of `observe`; the first row is the start, and between two
    rows lie `every` steps of `dt` seconds. Gauss-Newton with exact derivatives, some runs for each parameter.
    """
    wanted = np.asarray(measured, float)
    wanted = wanted.reshape(len(wanted), -1)
    if len(wanted) < 2 or every < 1:
        raise UsageError(f"{len(wanted)} rows with {every} steps between them: at least two rows and one step are needed")
    from scipy.optimize import least_squares  # type: ignore[import-untyped,unused-ignore]

    spread = np.maximum(wanted.std(axis=0), 1e-12)
    names, first, scale = _scaled(start)
    duration, runs = (len(wanted) - 1) * every * dt, 0

    def run_at(x: NDArray[np.float64]) -> tuple[Rollout, dict[str, float]]:
        nonlocal runs
        runs += 1
        numbers = dict(zip(names, (x * scale).tolist()))
        return model.changed(numbers).rollout(duration, dt, observe), numbers

    def left(x: NDArray[np.float64]) -> NDArray[np.float64]:
        off: NDArray[np.float64] = ((run_at(x)[0].values[::every] - wanted) / spread).ravel()
        return off

    def slopes(x: NDArray[np.float64]) -> NDArray[np.float64]:
        run, numbers = run_at(x)
        by = run.derivatives(numbers)
        return np.stack([(by[n][0][::every] / spread).ravel() * s for n, s in zip(names, scale)], axis=1)

    least = [(bounds or {}).get(n, (None, None))[0] for n in names]
    highest = [(bounds or {}).get(n, (None, None))[1] for n in names]
    box = (
        [-np.inf if b is None else b / s for b, s in zip(least, scale)],
        [np.inf if b is None else b / s for b, s in zip(highest, scale)],
    )
    options = {"ftol": tolerance, "xtol": tolerance, "gtol": tolerance, "max_nfev": most}
    found = least_squares(left, first / scale, slopes, bounds=box, x_scale="jac", **options)
    best = dict(zip(names, (found.x * scale).tolist()))
    value = float(2.0 * found.cost / wanted.size)
    return Optimum(best, model.changed(best), value, bool(found.success), str(found.message), runs)


def _scaled(start: Mapping[str, float]) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
    names = list(start)
    if not names:
        raise UsageError("there are no parameters to choose")
    first = np.array([float(start[n]) for n in names])
    return names, first, np.where(first == 0.0, 1.0, np.abs(first))
