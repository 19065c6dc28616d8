"""Scenes in."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from . import _holonom, _toml
from ._errors import SceneWarning, UsageError
from ._holonom import Model

_NAMES = {"toml": "scene.toml", "urdf": "robot.urdf", "mjcf": "model.mjcf"}
_SHOWN = 3


def _lists(
    allow_path: Iterable[str | os.PathLike[str]], limits: Mapping[str, int] | None
) -> tuple[list[str], list[tuple[str, int]]]:
    if isinstance(allow_path, (str, os.PathLike)):
        allow_path = [allow_path]
    return [os.fspath(p) for p in allow_path], list((limits or {}).items())


def _warned(model: Model) -> Model:
    found = model.warnings
    for text in found[:_SHOWN]:
        warnings.warn(text, SceneWarning, stacklevel=3)
    if len(found) > _SHOWN:
        text = f"{len(found) - _SHOWN} more parts of `{model.name}` do not count as they stand: see Model.warnings"
        warnings.warn(text, SceneWarning, stacklevel=3)
    return model


def load(
    source: str | os.PathLike[str],
    *,
    set: Mapping[str, Any] | None = None,
    strict: bool = False,
    allow_path: Iterable[str | os.PathLike[str]] = (),
    limits: Mapping[str, int] | None = None,
) -> Model:
    """Read a scene (.toml), a robot (.urdf, .xml), or a scene of the gallery by its name, and build its model.

    Args:
        source: a file, or a name that `gallery()` lists.
        set: other values of parameters and fields, as `--set` of the command: `{"L": 2, "body.rod.mass": 3}`.
        strict: treat warnings, such as ignored parts of an imported robot, as errors.
        allow_path: folders besides the scene's own from which it may read files.
        limits: other budgets: file, depth, attributes, bodies, files, triangles, values.

    Raises:
        SceneError: with the text, code, file, line and column that the command shows.
        FileError: a file that cannot be read.
        LimitError: a budget that is exceeded.
    """
    return _warned(_holonom.load(os.fspath(source), _toml.settings(set), strict, *_lists(allow_path, limits)))


def loads(
    text: str,
    format: Literal["toml", "urdf", "mjcf"] = "toml",
    *,
    name: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    set: Mapping[str, Any] | None = None,
    strict: bool = False,
    allow_path: Iterable[str | os.PathLike[str]] = (),
    limits: Mapping[str, int] | None = None,
) -> Model:
    """Build a model from the text of a scene, URDF or MJCF.

    Args:
        text: the text.
        format: what it is.
        name: what messages call it.
        folder: the folder whose files it may name; without one it may name none.
        set, strict, allow_path, limits: as in `load`.
    """
    if format not in _NAMES:
        raise UsageError(f"there is no format `{format}`: formats are {', '.join(_NAMES)}")
    usual = _NAMES[format]
    called = usual if name is None else name
    if os.path.splitext(called)[1].lower() not in (os.path.splitext(usual)[1], ".xml"):
        called += os.path.splitext(usual)[1]
    where = None if folder is None else os.fspath(folder)
    return _warned(_holonom.loads(text, called, where, _toml.settings(set), strict, *_lists(allow_path, limits)))


def gallery() -> list[str]:
    """Names of the scenes that come with the package, for `load`."""
    return [name for name, _ in _holonom.gallery()]
