"""Progress of a run: a line in a terminal, a bar in a notebook, or a function of one's own."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

_EVERY = 0.1
_WIDTH = 30


class Progress(Protocol):
    """What a run tells its progress to."""

    def update(self, now: float) -> None: ...


class _Call:
    def __init__(self, function: Callable[[float, float], Any], end: float) -> None:
        self.function, self.end = function, end

    def update(self, now: float) -> None:
        self.function(now, self.end)


class _Nothing:
    def update(self, now: float) -> None:
        pass


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class Bar:
    """Part of the way, and the time it will still take."""

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end
        self.begun = time.monotonic()
        self.shown = 0.0
        self.notebook = _in_notebook()
        self.handle: Any = None

    def text(self, now: float) -> str:
        """The line at a time of the simulation, s."""
        part = 1.0 if self.end <= self.start else (now - self.start) / (self.end - self.start)
        spent = time.monotonic() - self.begun
        left = f", {spent * (1 - part) / part:.0f} s left" if 0 < part < 1 else ""
        full = round(_WIDTH * part)
        return f"[{'#' * full}{'.' * (_WIDTH - full)}] {now:.3f} of {self.end:g} s{left}"

    def update(self, now: float) -> None:
        """Show it, at most ten times a second."""
        wall = time.monotonic()
        if wall - self.shown < _EVERY and now < self.end:
            return
        self.shown = wall
        if self.notebook:
            shown = import_module("IPython.display")
            part = 0.0 if self.end <= self.start else (now - self.start) / (self.end - self.start)
            html = shown.HTML(f"<progress value='{part}' max='1'></progress> {now:.3f} of {self.end:g} s")
            if self.handle is None:
                self.handle = shown.display(html, display_id=True)
            else:
                self.handle.update(html)
        else:
            sys.stderr.write("\r" + self.text(now) + "\x1b[K")
            sys.stderr.flush()

    def close(self) -> None:
        """The run is over."""
        if not self.notebook and self.shown:
            sys.stderr.write("\n")


def follow(progress: Any, start: float, end: float) -> Progress:
    """What `progress=` of a run means: True, False, or a function of the time and the end, s."""
    if callable(progress):
        return _Call(progress, end)
    if not progress:
        return _Nothing()
    return Bar(start, end)
