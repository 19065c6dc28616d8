"""Many simulations of one model at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ._errors import UsageError
from ._holonom import Model, Selection, Simulation

T = TypeVar("T")

_AT_ONCE = 1000
"""Steps between looks at whether another thread wants an end."""


class Batch:
    """`count` simulations of one shared model, advanced side by side by a pool of threads.

    It is a pool of threads over whole simulations: the interpreter is released while each of them steps, so `threads`
    cores work at once; simulations are not merged into wider arithmetic. Every simulation has the bits that it would
    have alone, whatever the number of threads.
    """

    def __init__(self, model: Model, count: int, *, threads: int | None = None, **options: Any) -> None:
        """`options` are those of `Simulation`; `threads` is the number of cores unless given."""
        if count < 1:
            raise UsageError(f"a batch of {count} simulations is none")
        self.simulations = [Simulation(model, **options) for _ in range(count)]
        """The simulations, each to be looked at and set like any other."""
        self.threads = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.threads)
        self._stopping = False

    def __len__(self) -> int:
        return len(self.simulations)

    def __getitem__(self, index: int) -> Simulation:
        return self.simulations[index]

    def __iter__(self) -> Iterator[Simulation]:
        return iter(self.simulations)

    def _look(self, *_: float) -> None:
        if self._stopping:
            raise KeyboardInterrupt

    def map(self, function: Callable[[Simulation], T]) -> list[T]:
        """The function of every simulation, in order."""
        # a share for each thread: handing over one by one would cost more than a step
        n, k = len(self.simulations), self.threads
        shares = [self.simulations[n * i // k : n * (i + 1) // k] for i in range(k)]
        futures = [self._pool.submit(lambda share: [function(s) for s in share], share) for share in shares]
        try:
            return [x for future in futures for x in future.result()]
        except BaseException:
            # Ctrl-C, or an exception in one of them: the others end too
            self._stopping = True
            wait(futures)
            self._stopping = False
            raise

    def step(self, dt: float | None = None, count: int = 1) -> None:
        """`count` steps of `dt` seconds in every simulation."""

        def steps(sim: Simulation) -> None:
            for taken in range(0, count, _AT_ONCE):
                self._look()
                sim.step(dt, min(_AT_ONCE, count - taken))

        self.map(steps)

    def run(self, until: float, record: Any = None, *, rate: float | None = None) -> list[Any]:
        """Every simulation to `until` seconds: their recordings."""
        return self.map(lambda s: s.run(until, record, rate=rate, progress=self._look))

    def reset(self) -> None:
        """All back to the start."""
        for s in self.simulations:
            s.reset()

    def read(self, selection: Selection) -> NDArray[np.float64]:
        """Quantities of all: (simulations, quantities)."""
        return np.stack([selection.read(s) for s in self.simulations])

    def set(self, inputs: Sequence[Any], values: Any) -> None:
        """One value for the input of each simulation, as `Simulation.drive` and `.effort` give them."""
        if len(inputs) != len(values):
            raise UsageError(f"there are {len(values)} values for {len(inputs)} inputs")
        for x, value in zip(inputs, values):
            x.value = float(value)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
