"""The page, from a script or a notebook: served by the command `holonom`, to this machine only."""

from __future__ import annotations

import atexit
import html
import os
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import IO

from ._errors import Error, UsageError
from ._holonom import Model
from ._progress import _in_notebook

_MISSING = (
    "the page is served by the command `holonom`, which is not found: put it on the PATH, or name it by the variable "
    "HOLONOM (in the repository: cargo build --release makes target/release/holonom)"
)


class Page:
    """A page that is being served, until `close()` or the end of the program."""

    url: str
    """Its address, a secret that lets in whoever has it."""

    def __init__(self, model: Model, program: str, open_browser: bool) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="holonom-")
        name = re.sub(r"[^\w-]+", "-", Path(model.name).stem).strip("-") or "scene"
        scene = Path(self._folder.name) / f"{name}.toml"
        scene.write_text(model.to_toml(), encoding="utf-8")
        # the command opens the browser itself, with a ticket that lets in once
        words = [] if open_browser else ["--no-open"]
        self._process = subprocess.Popen(
            [program, "view", str(scene), "--color", "never", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        atexit.register(self.close)
        said: list[str] = []
        assert self._process.stdout is not None and self._process.stderr is not None
        for line in self._process.stdout:
            said.append(line)
            if found := re.search(r"http://\S+", line):
                self.url = found[0]
                break
        else:
            wrong = self._process.stderr.read()
            self.close()
            raise Error(wrong.strip() or f"`{program} view` ended: {''.join(said)}")
        for stream in (self._process.stdout, self._process.stderr):
            threading.Thread(target=_drain, args=(stream,), daemon=True).start()

    @property
    def is_served(self) -> bool:
        """Is it still there?"""
        return self._process.poll() is None

    def close(self) -> None:
        """Serve it no longer."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._folder.cleanup()
        atexit.unregister(self.close)

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """In a notebook: a link. The page does not let itself be shown inside others."""
        return f'<a href="{html.escape(self.url)}" target="_blank">the page</a>'

    def __repr__(self) -> str:
        return f"<holonom page at {self.url}>" if self.is_served else "<holonom page, closed>"


def _drain(stream: IO[str]) -> None:
    for _ in stream:
        pass


def show(model: Model, *, open_browser: bool | None = None, program: str | None = None) -> Page:
    """Serve the page with this scene, as it starts, and open it in the browser (in a notebook: show a link to it).

    `program` is the command `holonom`: by default what the variable HOLONOM names, or what is on the PATH.
    """
    program = program or os.environ.get("HOLONOM") or shutil.which("holonom")
    if not program or not shutil.which(program):
        raise UsageError(_MISSING)
    return Page(model, program, not _in_notebook() if open_browser is None else open_browser)
