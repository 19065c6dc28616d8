"""Reads recordings with whichever of pandas, polars, duckdb and pyarrow is installed, and compares them bit by bit.

    python benches/read_recording.py run.csv run.parquet ...

All files must hold the same table. Every reader gets each file as it is, with no column named and no type given. A NaN equals a NaN: CSV has
only one. Exit code 0 if every reader agrees on every file, 1 if not, 2 if nothing could be read.
"""

import importlib
import struct
import sys


def pandas_columns(pandas, path):
    # Before version 3 the default parser of pandas could be wrong in the last digit.
    exact = {} if int(pandas.__version__.split(".")[0]) >= 3 else {"float_precision": "round_trip"}
    table = pandas.read_csv(path, **exact) if path.endswith(".csv") else pandas.read_parquet(path)
    return {name: table[name].to_numpy() for name in table.columns}


def polars_columns(polars, path):
    table = polars.read_csv(path) if path.endswith(".csv") else polars.read_parquet(path)
    return {name: table[name].to_numpy() for name in table.columns}


def duckdb_columns(duckdb, path):
    read = "read_csv" if path.endswith(".csv") else "read_parquet"
    return dict(duckdb.sql(f"SELECT * FROM {read}('{path}')").fetchnumpy())


def pyarrow_columns(pyarrow, path):
    if path.endswith(".csv"):
        table = importlib.import_module("pyarrow.csv").read_csv(path)
    else:
        parquet = importlib.import_module("pyarrow.parquet")
        table = parquet.read_table(path, page_checksum_verification=True)
    return {name: table[name].to_numpy() for name in table.column_names}


READERS = {
    "pandas": pandas_columns,
    "polars": polars_columns,
    "duckdb": duckdb_columns,
    "pyarrow": pyarrow_columns,
}


def bits(column):
    """The 64 bits of every value; all NaN are one."""
    kind = str(column.dtype)
    if kind != "float64":
        raise TypeError(f"read as {kind}, not float64")
    values = [float("nan") if value != value else float(value) for value in column]
    return struct.pack(f"<{len(values)}d", *values)


def main(paths):
    reference, agreed, read = None, True, 0
    for path in paths:
        for package, columns in READERS.items():
            try:
                module = importlib.import_module(package)
            except ImportError:
                print(f"{path}: {package} is not installed")
                continue
            try:
                found = {name: bits(column) for name, column in columns(module, path).items()}
            except Exception as error:  # a reader that cannot read the file is a finding, whatever it raises
                print(f"{path}: {package}: {type(error).__name__}: {error}")
                agreed = False
                continue
            read += 1
            if reference is None:
                reference = found
            same = list(found) == list(reference) and found == reference
            differing = [name for name in reference if found.get(name) != reference[name]]
            rows = len(next(iter(found.values()))) // 8
            verdict = "same bits" if same else f"DIFFERS in {differing or 'the order of columns'}"
            print(f"{path}: {package} {module.__version__}: {len(found)} columns, {rows} rows, {verdict}")
            agreed = agreed and same
    if read == 0:
        print("nothing was read; install pandas, polars, duckdb or pyarrow")
        return 2
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
