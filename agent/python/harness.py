# The other end of a Session. It reads requests from its standard input, one JSON
# object a line, and answers each with one line on its standard output. What the
# code of the model prints goes into the answer.
import ast, io, json, os, sys, traceback

requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
null = os.open(os.devnull, os.O_RDWR)
for stream in (0, 1):
    os.dup2(null, stream)  # what a library prints must not pass for an answer

MOST_TEXT, MOST_ROWS, MOST_FRAMES, MOST_FRAME = 20_000, 20, 500 << 20, 3 << 20
space = {"__name__": "__main__"}
order = []  # names of data frames, the oldest first


class Bounded(io.TextIOBase):
    def __init__(self):
        self.parts, self.size, self.lost = [], 0, 0

    def writable(self):
        return True

    def write(self, text):
        room = max(0, MOST_TEXT - self.size)
        self.parts.append(text[:room])
        self.size += min(len(text), room)
        self.lost += max(0, len(text) - room)
        return len(text)

    def text(self):
        more = f"\n[{self.lost} more characters were printed]" if self.lost else ""
        return "".join(self.parts) + more


def clip(text):
    out = Bounded()
    out.write(text)
    return out.text()


def size_of(value):
    try:
        kind = type(value).__module__.split(".")[0]
        if kind == "pandas" and hasattr(value, "memory_usage"):
            used = value.memory_usage(deep=False)
            return int(used.sum() if hasattr(used, "sum") else used)
        if kind == "polars":
            return int(value.estimated_size())
        if kind in ("pyarrow", "numpy"):
            return int(value.nbytes)
    except Exception:
        pass
    return 0


def prune(keep):
    """Drops the oldest data frames beyond the bound, and returns their names."""
    sizes = {n: size_of(v) for n, v in space.items() if not n.startswith("_")}
    sizes = {n: s for n, s in sizes.items() if s > 1 << 20}
    order[:] = [n for n in order if n in sizes] + [n for n in sizes if n not in order]
    gone = []
    for name in list(order):
        if sum(sizes.values()) <= MOST_FRAMES:
            break
        if name != keep and name != order[-1]:
            gone.append(name)
            order.remove(name)
            sizes.pop(name)
            space.pop(name)
    return gone


def shown(value):
    """Describes the value of the last expression."""
    if value is None:
        return {"kind": "none"}
    kind = type(value).__module__.split(".")[0]
    if kind == "pandas" and type(value).__name__ == "DataFrame":
        head = json.loads(value.head(MOST_ROWS).to_json(orient="split", date_format="iso"))
        return {"kind": "table", "columns": [str(c) for c in value.columns], "head": head["data"], "row_count": len(value),
                "dtypes": {str(c): str(t) for c, t in zip(value.columns, value.dtypes)}}
    if kind == "polars" and type(value).__name__ == "DataFrame":
        head = [[v if isinstance(v, (int, float, str, bool, type(None))) else str(v) for v in r] for r in value.head(MOST_ROWS).rows()]
        return {"kind": "table", "columns": value.columns, "head": head, "row_count": value.height,
                "dtypes": {c: str(t) for c, t in zip(value.columns, value.dtypes)}}
    return {"kind": "text", "text": clip(repr(value))}


def run(code):
    tree = ast.parse(code, "<code>")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<code>", "exec"), space)
    return eval(compile(ast.Expression(last.value), "<code>", "eval"), space) if last else None


def column(values, kind):
    """Makes a column of pandas of values out of JSON; what does not fit stays as it is."""
    import pandas
    whole = all(v is not None for v in values)
    kinds = {"integer": "int64" if whole else "Int64", "boolean": "bool" if whole else "boolean", "float": "float64", "decimal": "float64"}
    try:
        if kind in ("date", "timestamp", "timestamptz"):
            return pandas.to_datetime(pandas.Series(values, dtype=object), utc=kind == "timestamptz" or None)
        return pandas.Series(values, dtype=kinds.get(kind, object))
    except (TypeError, ValueError, OverflowError):
        return pandas.Series(values, dtype=object)


def lines(request):
    """Reads objects of JSON, one a line: into pandas, or a list of dictionaries without it."""
    names, values = request["columns"], [[] for _ in request["columns"]]
    with open(request["path"], encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            for name, list in zip(names, values):
                list.append(row.get(name))
    try:
        import pandas
    except ImportError:
        return [dict(zip(names, row)) for row in zip(*values)]
    frame = pandas.concat([column(v, t) for v, t in zip(values, request["types"])], axis=1)
    frame.columns = names
    return frame


def load(request):
    path, columns, rows = request["path"], request.get("columns") or None, request.get("rows") or None
    reader = request["reader"]
    if reader == "lines":
        frame = lines(request)
    elif reader == "pyarrow":
        import pyarrow.parquet as pq
        table = pq.read_table(path, columns=columns)
        frame = (table.slice(0, rows) if rows else table)
        try:
            frame = frame.to_pandas()
        except ImportError:
            pass
    elif reader == "polars":
        import polars
        frame = polars.read_parquet(path, columns=columns, n_rows=rows)
    else:
        import duckdb
        names = ", ".join('"' + c.replace('"', '""') + '"' for c in columns) if columns else "*"
        limit = f" LIMIT {int(rows)}" if rows else ""
        answer = duckdb.sql(f"SELECT {names} FROM read_parquet($path){limit}", params={"path": path})
        try:
            frame = answer.df()
        except ImportError:
            frame = answer.fetchall()
    space[request["df_name"]] = frame
    return frame


def frame(name, most):
    """Returns the first rows of a data frame, whole, for the user."""
    value = space.get(name)
    kind = type(value).__module__.split(".")[0]
    if kind == "polars" and type(value).__name__ == "DataFrame":
        columns, rows, total = value.columns, value.head(most).rows(), value.height
    elif kind == "pandas" and type(value).__name__ == "DataFrame":
        columns, total = [str(c) for c in value.columns], len(value)
        rows = json.loads(value.head(most).to_json(orient="split", date_format="iso"))["data"]
    elif isinstance(value, list) and all(isinstance(r, dict) for r in value):
        columns = list(dict.fromkeys(str(k) for r in value for k in r))
        rows, total = [[r.get(c) for c in columns] for r in value[:most]], len(value)
    else:
        raise TypeError(f"'{name}' is not a data frame or a list of dictionaries")
    rows = [[v if isinstance(v, (int, float, str, bool, type(None))) else str(v) for v in r] for r in rows]
    if len(json.dumps(rows)) > MOST_FRAME:
        raise ValueError("the rows are more than 3 MB: show fewer rows or columns, or shorter texts")
    rows = [[None if isinstance(v, float) and v - v != 0 else v for v in r] for r in rows]
    def kind_of(i):
        kinds = {type(r[i]) for r in rows if r[i] is not None}
        return "integer" if kinds == {int} else "float" if kinds and kinds <= {int, float} else "boolean" if kinds == {bool} else "string"
    return {"kind": "frame", "columns": columns, "types": [kind_of(i) for i in range(len(columns))], "rows": rows, "row_count": total}


for line in requests:
    request = json.loads(line)
    out = Bounded()
    sys.stdout = sys.stderr = out
    try:
        if "frame" in request:
            answer = frame(request["frame"], request["rows"])
        else:
            answer = shown(load(request) if "path" in request else run(request["code"]))
    except BaseException as e:  # also SystemExit and KeyboardInterrupt: the process goes on
        frames = [f for f in traceback.extract_tb(e.__traceback__) if f.filename == "<code>"]
        at = "".join(traceback.format_list(frames))
        answer = {"kind": "error", "text": clip(at + "".join(traceback.format_exception_only(type(e), e)))}
    finally:
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    answer["mark"] = request["mark"]
    answer["printed"] = out.text()
    answer["pruned"] = prune(request.get("df_name"))
    try:
        line = json.dumps(answer, allow_nan=False)
    except ValueError:
        line = json.dumps({"kind": "text", "text": clip(str(answer)), "mark": request["mark"]})
    answers.write(line + "\n")
    answers.flush()
