"""Values as TOML, for building and for settings."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def key(name: str) -> str:
    """A name, quoted only where it must be."""
    return name if _BARE.match(name) else text(name)


def text(value: str) -> str:
    """Text in quotes."""
    out = []
    for c in value:
        if c in '"\\':
            out.append("\\" + c)
        elif ord(c) < 0x20 or ord(c) == 0x7F:
            out.append(f"\\u{ord(c):04x}")
        else:
            out.append(c)
    return '"' + "".join(out) + '"'


def value(x: Any, depth: int = 0) -> str:
    """Any value: numbers, texts, lists, tables, arrays of numpy."""
    if depth > 40:
        raise TypeError("values nested deeper than 40 levels cannot be said in a scene")
    if isinstance(x, str):
        return text(x)
    if hasattr(x, "tolist"):  # arrays and numbers of numpy
        x = x.tolist()
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, numbers.Integral):
        if not -(2**63) <= int(x) < 2**63:
            raise TypeError(f"{x} is too large a whole number for a scene")
        return str(int(x))
    if isinstance(x, numbers.Real):
        x = float(x)
        return repr(x) if math.isfinite(x) else ("nan" if math.isnan(x) else ("inf" if x > 0 else "-inf"))
    if isinstance(x, Mapping):
        return "{ " + ", ".join(f"{key(str(k))} = {value(v, depth + 1)}" for k, v in x.items()) + " }" if x else "{}"
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(value(v, depth + 1) for v in x) + "]"
    raise TypeError(f"a scene cannot hold a {type(x).__name__}")


def settings(given: Mapping[str, Any] | None) -> list[str]:
    """Settings as the command takes them: `path=value`."""
    return [f"{path}={x if isinstance(x, str) else value(x)}" for path, x in (given or {}).items()]
