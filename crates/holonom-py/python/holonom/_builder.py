"""Models built in code, in the words of scene files."""

from __future__ import annotations

import sys
from typing import Any

from . import _holonom, _toml
from ._errors import Error, UsageError
from ._holonom import Model
from ._loading import loads

_SECTIONS = _holonom.sections()


def sections() -> dict[str, str]:
    """The sections of a scene with their meanings; each is a method or an attribute of `ModelBuilder`."""
    return {name: doc for name, (doc, _, _) in _SECTIONS.items()}


def kinds(section: str) -> dict[str, str]:
    """The kinds of a section (`body`, `joint`, `drive`, `force`) with their meanings, from the engine's own tables."""
    return {name: doc for name, (doc, _) in _section(section)[2].items() if name}


def fields(section: str, kind: str = "") -> dict[str, str]:
    """The fields of a kind, or of a section without kinds, with their meanings and units."""
    all_kinds = _section(section)[2]
    if kind not in all_kinds:
        raise UsageError(f"there is no {section} of the kind `{kind}`: kinds are {', '.join(k for k in all_kinds if k)}")
    return dict(all_kinds[kind][1])


def _section(name: str) -> tuple[str, str, dict[str, tuple[str, dict[str, str]]]]:
    if name not in _SECTIONS:
        raise UsageError(f"a scene has no section `{name}`: sections are {', '.join(_SECTIONS)}")
    return _SECTIONS[name]


class ModelBuilder:
    """Collects a scene, thing by thing, and builds its model.

    Every section of a scene file that holds named things is a method: `body`, `joint`, `drive`, `force`, `chain`,
    `ring`, `start`, ...; the others (`ground`, `contact`, `run`, `record`, `params`) take keywords alone. What kinds and
    fields there are is what scene files have (`kinds("joint")`, `fields("joint", "revolute")`), checked by the same
    reader with the same messages; a message also names the line of the program that said it.

        m = holonom.ModelBuilder("a pendulum")
        m.body("rod", shape={"kind": "box", "size": [1, 0.05, 0.05]}, density=7800, at=[0.5, 0, 0])
        m.joint("pin", kind="revolute", b="rod", at=[0, 0, 0], axis=[0, 1, 0])
        sim = holonom.Simulation(m.build())
    """

    def __init__(self, title: str = "", *, gravity: Any = None, description: str = "") -> None:
        """A scene with a title; `gravity` is a vector in m/s^2, (0, 0, -9.81) unless given."""
        self._values: dict[str, Any] = {}
        if title:
            self._values["title"] = title
        if description:
            self._values["description"] = description
        if gravity is not None:
            self._values["gravity"] = gravity
        self._tables: dict[str, dict[str, Any]] = {}
        self._things: dict[str, dict[str, dict[str, Any]]] = {}
        self._places: dict[tuple[str, str], tuple[str, int]] = {}

    def _said(self, section: str, name: str) -> None:
        frame = sys._getframe(2)
        while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
            frame = frame.f_back
        self._places[section, name] = (frame.f_code.co_filename, frame.f_lineno)

    def add(self, section: str, name: str, /, **fields: Any) -> ModelBuilder:
        """A named thing of any section."""
        if _section(section)[1] not in ("kinds", "tables"):
            raise UsageError(f"the section `{section}` holds no named things")
        if not isinstance(name, str):
            raise TypeError(f"the name of a {section} must be text")
        things = self._things.setdefault(section, {})
        if name in things:
            raise UsageError(f"there is a {section} `{name}` already")
        for value in fields.values():
            _toml.value(value)
        things[name] = fields
        self._said(section, name)
        return self

    def set(self, section: str, /, **fields: Any) -> ModelBuilder:
        """Fields of a section that is one table: ground, contact, run, record, params."""
        if _section(section)[1] not in ("table", "parameters"):
            raise UsageError(f"the section `{section}` is not one table")
        for value in fields.values():
            _toml.value(value)
        self._tables.setdefault(section, {}).update(fields)
        self._said(section, "")
        return self

    def body(self, name: str, /, **fields: Any) -> ModelBuilder:
        """A body: `shape` with `density` or `mass`, `at` (m), `velocity` (m/s), ...; `kind` is rigid unless given."""
        return self.add("body", name, **fields)

    def joint(self, name: str, /, **fields: Any) -> ModelBuilder:
        """A joint or relation of a `kind` between `a` (the ground unless given) and `b`, `at` a point (m), along an `axis`."""
        return self.add("joint", name, **fields)

    def drive(self, name: str, /, **fields: Any) -> ModelBuilder:
        """A drive of a `kind` on a `joint`; `value` is a number or an expression of the time t."""
        return self.add("drive", name, **fields)

    def force(self, name: str, /, **fields: Any) -> ModelBuilder:
        """A force of a `kind`: springs, dampers, drag, forces on points and coordinates."""
        return self.add("force", name, **fields)

    def ground(self, **fields: Any) -> ModelBuilder:
        """Points and shapes of the ground."""
        return self.set("ground", **fields)

    def contact(self, **fields: Any) -> ModelBuilder:
        """Contacts: once this is said, shapes collide unless they say that they do not."""
        return self.set("contact", **fields)

    def params(self, **fields: Any) -> ModelBuilder:
        """Numbers that expressions `"${}"` may use."""
        return self.set("params", **fields)

    def run(self, **fields: Any) -> ModelBuilder:
        """How it is to be run unless a simulation says otherwise."""
        return self.set("run", **fields)

    def __getattr__(self, section: str) -> Any:
        if section.startswith("_") or section not in _SECTIONS:
            raise AttributeError(f"ModelBuilder has no `{section}`; sections of a scene are {', '.join(_SECTIONS)}")
        fill = _SECTIONS[section][1]
        if fill in ("kinds", "tables"):
            return lambda name, /, **fields: self.add(section, name, **fields)
        if fill in ("table", "parameters"):
            return lambda **fields: self.set(section, **fields)
        raise AttributeError(f"`{section}` is given when a ModelBuilder is made")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_SECTIONS]

    def _written(self) -> tuple[str, list[tuple[int, tuple[str, str]]]]:
        lines: list[str] = [f"{k} = {_toml.value(v)}" for k, v in self._values.items()]
        starts: list[tuple[int, tuple[str, str]]] = []
        for section in _SECTIONS:
            if section in self._tables:
                starts.append((len(lines) + 1, (section, "")))
                lines.append(f"[{section}]")
                lines += [f"{_toml.key(k)} = {_toml.value(v)}" for k, v in self._tables[section].items()]
            for name, thing in self._things.get(section, {}).items():
                starts.append((len(lines) + 1, (section, name)))
                lines.append(f"[{section}.{_toml.key(name)}]")
                lines += [f"{_toml.key(k)} = {_toml.value(v)}" for k, v in thing.items()]
        return "\n".join(lines) + "\n", starts

    def to_toml(self) -> str:
        """The scene as the text of a scene file."""
        return self._written()[0]

    def build(self, *, name: str = "model.toml", **options: Any) -> Model:
        """The model. Options are those of `loads`: set, strict, folder, limits."""
        text, starts = self._written()
        try:
            return loads(text, name=name, **options)
        except Error as error:
            said = self._place(error, starts)
            if said is not None:
                error.args = (f"{error}\n  = built at: {said[0]}:{said[1]}",)
            raise

    def _place(self, error: Error, starts: list[tuple[int, tuple[str, str]]]) -> tuple[str, int] | None:
        if error.line is None or error.file == "--set":
            return None
        before = [which for line, which in starts if line <= error.line]
        return self._places.get(before[-1]) if before else None
