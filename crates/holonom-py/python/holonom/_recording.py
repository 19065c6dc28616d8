"""Recordings: tables of what a run went through."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _holonom
from ._errors import MotionWarning, UnknownNameError

Column = NDArray[np.float64]


class Recording:
    """What a run went through: columns by the names of quantities, the first of them `time`.

    Rows lie at multiples of 1 / rate; the first is the start and the last the end of the run. What cannot be told of a
    state is NaN in its row.
    """

    columns: dict[str, Column]
    """Values, one array per quantity."""
    units: dict[str, str]
    """Units by the names of the columns."""
    notes: dict[str, str]
    """What should be known of a column: loads that are not unique say so."""
    statistics: dict[str, Any]
    """Steps, evaluations, wall time (s), the largest gaps and residuals of the run."""
    warning: str | None
    """What of the motion is not as exact as promised."""

    def __init__(
        self,
        columns: dict[str, Column],
        units: dict[str, str],
        notes: dict[str, str] | None = None,
        statistics: dict[str, Any] | None = None,
        warning: str | None = None,
    ) -> None:
        self.columns = columns
        self.units = units
        self.notes = notes or {}
        self.statistics = statistics or {}
        self.warning = warning
        if warning:
            warnings.warn(warning, MotionWarning, stacklevel=2)

    def __getitem__(self, name: str) -> Column:
        try:
            return self.columns[name]
        except KeyError:
            known = ", ".join(list(self.columns)[:12])
            raise UnknownNameError(f"the recording has no column `{name}`: columns are {known}") from None

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values()), ()))

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.columns)

    @property
    def time(self) -> Column:
        """Times of the rows, s."""
        return self["time"]

    def vector(self, name: str) -> Column:
        """The columns NAME.x, NAME.y, NAME.z side by side: (rows, 3)."""
        return np.stack([self[f"{name}.{axis}"] for axis in "xyz"], axis=1)

    def to_numpy(self) -> Column:
        """All columns side by side: (rows, columns)."""
        return np.stack(list(self.columns.values()), axis=1) if self.columns else np.empty((0, 0))

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`; needs pandas."""
        pandas = import_module("pandas")
        return pandas.DataFrame(self.columns)

    def to_polars(self) -> Any:
        """A `polars.DataFrame`; needs polars."""
        polars = import_module("polars")
        return polars.DataFrame(self.columns)

    def to_arrow(self) -> Any:
        """A `pyarrow.Table` with units as metadata of the fields; needs pyarrow."""
        pyarrow = import_module("pyarrow")
        fields = [pyarrow.field(n, pyarrow.float64(), metadata={"unit": self.units.get(n, "")}) for n in self.columns]
        return pyarrow.table(list(self.columns.values()), schema=pyarrow.schema(fields))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        return self.to_arrow().__dataframe__(nan_as_null=nan_as_null, allow_copy=allow_copy)

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write it to a .csv, .parquet or .hrec file, as the command does: `holonom plot` reads it. Returns the rows."""
        columns = [(n, self.units.get(n, ""), self.notes.get(n, ""), x) for n, x in self.columns.items()]
        about = {k: v for k, v in self.statistics.items() if isinstance(v, (int, float, str))}
        return _holonom.write_recording(os.fspath(path), columns, json.dumps({"program": "holonom", "run": about}))

    def __repr__(self) -> str:
        s = self.statistics
        ran = f", {s['from']} s to {s['to']} s in {s['steps']} steps" if "steps" in s else ""
        return f"<holonom.Recording: {len(self)} rows, {len(self.columns)} columns{ran}>"


def read_recording(path: str | os.PathLike[str]) -> Recording:
    """Read a recording (.hrec, .csv, .parquet) that the command or `Recording.save` wrote."""
    columns, _ = _holonom.read_recording(os.fspath(path))
    values = {name: x for name, _, _, x in columns}
    units = {name: unit for name, unit, _, _ in columns}
    return Recording(values, units, {name: note for name, _, note, _ in columns if note})
