"""Reads files that da wrote with other libraries, and writes each cell as text.

Of each file and reader it prints one JSON object a line: file, reader, rows.
"""

import datetime
import decimal
import json
import sys
import uuid

import duckdb
import openpyxl
import pandas
import polars
import pyarrow
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet

EPOCH = datetime.datetime(1970, 1, 1)


def plain(v):
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    return None if v is None or v is pandas.NA else v


def cell(v, name):
    if v is None or v is pandas.NA or v is pandas.NaT:
        return None
    if name == "u":
        return str(v if isinstance(v, uuid.UUID) else uuid.UUID(bytes=bytes(v)) if len(v) == 16 else uuid.UUID(v))
    if isinstance(v, bool):
        return str(v).lower()
    if isinstance(v, float):
        return repr(v)
    if isinstance(v, decimal.Decimal):
        return format(v, "f")
    if isinstance(v, pandas.Timestamp):
        v = v.to_pydatetime()
    if isinstance(v, datetime.datetime):
        if v.tzinfo:
            v = v.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        if name == "dt":
            return v.date().isoformat()
        return str((v - EPOCH) // datetime.timedelta(microseconds=1))
    if isinstance(v, datetime.date):
        return v.isoformat()
    if isinstance(v, (bytes, bytearray)):
        return v.hex().upper()
    if hasattr(v, "tolist"):
        v = v.tolist()
    if isinstance(v, (list, dict)):
        return json.dumps(plain(v), separators=(",", ":"))
    return str(v)


def table(t):
    return t.to_pylist()


def frame(f):
    return [dict(zip(f.columns, row)) for row in f.itertuples(index=False, name=None)]


def sheet(path):
    rows = list(openpyxl.load_workbook(path, read_only=True).active.iter_rows(values_only=True))
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def engine(path):
    r = duckdb.sql("SET TimeZone = 'UTC'; SELECT * FROM '" + path + "'")
    return [dict(zip(r.columns, row)) for row in r.fetchall()]


READERS = {
    "parquet": {
        "pyarrow": lambda p: table(pyarrow.parquet.read_table(p)),
        "pandas": lambda p: frame(pandas.read_parquet(p, dtype_backend="pyarrow")),
        "polars": lambda p: polars.read_parquet(p).to_dicts(),
        "duckdb": engine,
    },
    "arrow": {
        "pyarrow": lambda p: table(pyarrow.ipc.open_file(p).read_all()),
        "pandas": lambda p: frame(pandas.read_feather(p, dtype_backend="pyarrow")),
        "polars": lambda p: polars.read_ipc(p).to_dicts(),
    },
    "arrows": {
        "pyarrow": lambda p: table(pyarrow.ipc.open_stream(p).read_all()),
        "polars": lambda p: polars.read_ipc_stream(p).to_dicts(),
    },
    "ndjson": {"polars": lambda p: polars.read_ndjson(p, infer_schema_length=None).to_dicts(), "duckdb": engine},
    "xlsx": {"openpyxl": sheet},
}

for path in sys.argv[1:]:
    for name, read in READERS[path.rsplit(".", 1)[1]].items():
        out = {"file": path, "reader": name}
        try:
            out["rows"] = [{k: cell(v, k) for k, v in row.items()} for row in read(path)]
        except Exception as e:  # the test wants every reader to read
            out["error"] = f"{type(e).__name__}: {e}"
        print(json.dumps(out))
