"""Exceptions. Their text is what the command prints; code and place are attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._recording import Recording


class Error(Exception):
    """Whatever goes wrong in holonom.

    `str(error)` is the whole message, as the command prints it: sentence, place, excerpt, help.
    """

    def __init__(self, text: str, diagnostics: list[dict[str, Any]] | None = None) -> None:
        super().__init__(text)
        self.diagnostics: list[dict[str, Any]] = diagnostics or []
        """Every error with `code`, `message`, `file`, `line`, `column`, `label`, `path`, `notes`."""
        self.recording: Recording | None = None
        """What a run that ended with this error had recorded until then."""

    def __str__(self) -> str:
        return str(self.args[0])

    def _first(self, key: str) -> Any:
        return self.diagnostics[0].get(key) if self.diagnostics else None

    @property
    def code(self) -> str:
        """Stable code such as `E0214`, which `holonom explain` knows; empty for a wrong argument."""
        return self._first("code") or ""

    @property
    def message(self) -> str:
        """The sentence alone."""
        return self._first("message") or str(self)

    @property
    def file(self) -> str | None:
        """Name of the file that is at fault."""
        file: str | None = self._first("file")
        return file

    @property
    def line(self) -> int | None:
        """Line in it, from 1."""
        line: int | None = self._first("line")
        return line

    @property
    def column(self) -> int | None:
        """Column in characters, from 1."""
        column: int | None = self._first("column")
        return column

    @property
    def path(self) -> str:
        """The thing in the scene, such as `joint/pin/axis`."""
        return self._first("path") or ""

    @property
    def notes(self) -> list[str]:
        """Further lines: notes and help."""
        return self._first("notes") or []


class SceneError(Error, ValueError):
    """A scene, robot or setting that cannot be read, or a mechanism that cannot be built."""


class UsageError(Error, ValueError):
    """An argument that cannot be used."""


class UnknownNameError(UsageError, LookupError):
    """There is nothing of that name."""


class LimitError(Error):
    """A limit was exceeded: of files, bodies, or numbers in a recording."""


class FileError(Error, OSError):
    """Reading or writing failed."""


class StepError(Error, ArithmeticError):
    """The equations could not be solved, or a motion could not be followed. The state is the last good one."""


class SceneWarning(UserWarning):
    """Parts of a scene do not count as they stand."""


class MotionWarning(UserWarning):
    """A motion is not as exact as promised."""
