# The other end of a Session. It reads requests from its standard input, one JSON
# object a line, and answers each with one line on its standard output. What the
# code of the model prints goes into the answer.
import ast, base64, datetime, decimal, importlib, io, json, mimetypes, os, re, sys, threading, traceback

mimetypes.knownfiles.clear()  # they are the machine's, and not to be read here

requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
null = os.open(os.devnull, os.O_RDWR)
for stream in (0, 1):
    os.dup2(null, stream)  # what a library prints must not pass for an answer

MOST_TEXT, MOST_ROWS, FIRST_ROWS, MOST_FRAMES, MOST_FRAME = 20_000, 20, 3, 500 << 20, 3 << 20
space = {"__name__": "__main__"}
one_call = threading.Lock()
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


def cells(frame):
    """Returns the columns of a data frame, each as a list of Python's values."""
    if type(frame).__module__.startswith("polars"):
        return [nanos(s) if str(s.dtype).startswith("Datetime(time_unit='ns'") else s.to_list() for s in frame.get_columns()]
    columns = [frame.iloc[:, i] for i in range(frame.shape[1])]
    return [[float(str(v)) for v in c.to_numpy()] if str(c.dtype) == "float32" else [unboxed(v) for v in c.tolist()] for c in columns]


def unboxed(v):
    """Makes a value of numpy one of Python."""
    return v.tolist() if hasattr(v, "tolist") and type(v).__module__.split(".")[0] == "numpy" else v


def nanos(series):
    """Returns times of polars as text: a time of Python has no nanoseconds."""
    zone = getattr(series.dtype, "time_zone", None)
    if zone:
        series = series.dt.convert_time_zone("UTC")
    text = series.dt.replace_time_zone(None).dt.strftime("%Y-%m-%dT%H:%M:%S%.9f")
    return [v if v is None else trimmed(v) + ("Z" if zone else "") for v in text]


def trimmed(text):
    """Takes away zeros at the end of a fraction of a second."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def exact(v):
    """Returns a value as JSON has it, and as the project shows it everywhere: nothing is rounded or cut."""
    if v is None or isinstance(v, (bool, str)) or type(v).__name__ in ("NAType", "NaTType"):
        return v if isinstance(v, (bool, str)) else None
    v = unboxed(v)
    if isinstance(v, int):
        return v if -2**53 <= v <= 2**53 else str(v)
    if isinstance(v, float):
        return v if v - v == 0 else "NaN" if v != v else "Infinity" if v > 0 else "-Infinity"
    if isinstance(v, decimal.Decimal):
        return str(v) if not v.is_finite() or len(v.normalize().as_tuple().digits) > 15 else float(v)
    if isinstance(v, (bytes, bytearray, memoryview)):
        return base64.b64encode(v).decode()
    if isinstance(v, datetime.datetime):
        if v.tzinfo is None:
            return trimmed(v.isoformat())
        return trimmed(v.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat()) + "Z"
    if isinstance(v, datetime.timedelta):
        return duration(v)
    if isinstance(v, datetime.time):
        return trimmed(v.isoformat())
    if isinstance(v, datetime.date):
        return v.isoformat()
    if isinstance(v, dict):
        return {str(k): exact(w) for k, w in v.items()}
    if isinstance(v, (list, tuple, set)) or type(v).__module__.startswith("polars"):
        return [exact(w) for w in v]
    return str(v)


def duration(v):
    """Writes a duration as ISO 8601 has it."""
    nanos = (v.days * 86400 + v.seconds) * 10**9 + v.microseconds * 1000 + getattr(v, "nanoseconds", 0)
    sign, nanos = "-" if nanos < 0 else "", abs(nanos)
    days, nanos = divmod(nanos, 86400 * 10**9)
    hours, nanos = divmod(nanos, 3600 * 10**9)
    minutes, nanos = divmod(nanos, 60 * 10**9)
    seconds = trimmed(f"{nanos // 10**9}.{nanos % 10**9:09d}")
    parts = [f"{sign}{n}{unit}" for n, unit in ((hours, "H"), (minutes, "M"), (seconds, "S")) if str(n) != "0"]
    text = f"P{sign}{days}D" if days else "P"
    return text + "T" + "".join(parts) if parts else text if days else "PT0S"


def kind_of(values):
    """Names the type of a column of Python's values."""
    for kind, of in (("boolean", bool), ("integer", int), ("float", (int, float)), ("decimal", (int, decimal.Decimal)),
                     ("timestamp", datetime.datetime), ("date", datetime.date)):
        if all(isinstance(v, of) and (kind in ("boolean", "date") or not isinstance(v, bool)) for v in values):
            return kind if values else "string"
    return "string"


def shown(value):
    """Describes the value of the last expression."""
    if value is None:
        return {"kind": "none"}
    kind = type(value).__module__.split(".")[0]
    if kind in ("pandas", "polars") and type(value).__name__ == "DataFrame":
        head = zip(*[[exact(v) for v in values] for values in cells(value.head(MOST_ROWS))])
        columns = [str(c) for c in value.columns]
        return {"kind": "table", "columns": columns, "head": list(head), "row_count": len(value),
                "dtypes": dict(zip(columns, map(str, value.dtypes)))}
    return {"kind": "text", "text": clip(repr(value))}


def summed(value):
    """Describes loaded data: how many rows, and the first of them."""
    if isinstance(value, list):
        keys = ", ".join(value[0]) if value and isinstance(value[0], dict) else ""
        what = f"a list of {len(value)} dictionaries with the keys {keys}" if keys else f"a list of {len(value)} rows"
        return {"kind": "text", "text": clip(what + "".join("\n" + repr(row) for row in value[:FIRST_ROWS])), "row_count": len(value)}
    answer = shown(value.slice(0, FIRST_ROWS) if hasattr(value, "num_rows") and hasattr(value, "slice") else value)
    if answer["kind"] == "table":
        answer["head"] = answer["head"][:FIRST_ROWS]
    elif hasattr(value, "num_rows"):
        answer["row_count"] = value.num_rows
    return answer


class FileError(Exception):
    """A tool for files has refused a call."""


class Files:
    """The files of the workspace. Changes lie in the conversation's draft."""
    Error = FileError

    def __init__(self, family, mark, tools):
        self._family, self._mark, self._tools = family, mark, tools

    def __dir__(self):
        own = [t.removeprefix(self._family + "_") for t in self._tools if t.startswith(self._family + "_")]
        return sorted(own + (["spreadsheet", "pdf", "image"] if self._family == "file" else []))

    def __getattr__(self, name):
        snake = re.sub("[A-Z]", lambda m: "_" + m[0].lower(), name)
        if self._family == "file" and snake in ("spreadsheet", "pdf", "image"):
            return Files(snake, self._mark, self._tools)
        tool = self._family + "_" + snake
        if tool not in self._tools:
            raise AttributeError(f"there is no {name} here; there are {', '.join(dir(self))}")
        names, mark = self._tools[tool], self._mark

        def call(*values, **named):
            if len(values) > len(names):
                raise TypeError(f"{tool} takes {', '.join(names)}")
            given = dict(zip(names, values)) | {re.sub("[A-Z]", lambda m: "_" + m[0].lower(), k): v for k, v in named.items()}
            for most, size in (("max_tokens", 500_000), ("max_bytes", 2_000_000)):
                if most in names and tool != "image_to_base64":
                    given.setdefault(most, size)
            given = {k: v for k, v in given.items() if v is not None}
            line = json.dumps({"mark": mark, "call": tool, "arguments": given}, default=sent)
            if len(line) > MOST_FRAME:
                raise ValueError("a call takes 3 MB at most: write it in parts")
            with one_call:
                answers.write(line + "\n")
                answers.flush()
                reply = json.loads(requests.readline())
            answer = reply["answer"]
            if reply["failed"]:
                said = answer.get("error", {}) if isinstance(answer, dict) else {}
                raise FileError(" ".join(str(said[k]) for k in ("code", "message", "hint") if said.get(k)) or str(answer))
            if isinstance(answer, dict):
                for fence in ("begin", "end", "notice"):
                    answer.pop(fence, None)
                if answer.get("truncated"):
                    print(f"{tool}: the answer is cut, {', '.join(names)} say what to read")
            return answer

        call.__name__, call.__doc__ = snake, f"{snake}({', '.join(names)})"
        return call


def sent(value):
    """Makes values of libraries what JSON has for them."""
    for way in ("tolist", "isoformat"):
        if hasattr(value, way):
            return getattr(value, way)()
    raise TypeError(f"{type(value).__name__} is not a value of JSON")


SHORT = {"pd": "pandas", "np": "numpy", "pandas": "pandas", "numpy": "numpy"}


def run(code):
    tree = ast.parse(code, "<code>")
    for name in {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} & SHORT.keys() - space.keys():
        try:  # the libraries that all code uses need no import
            space[name] = importlib.import_module(SHORT[name])
        except ImportError:
            pass
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<code>", "exec"), space)
    return eval(compile(ast.Expression(last.value), "<code>", "eval"), space) if last else None


def column(values, kind):
    """Makes a column of pandas of values out of JSON; what does not fit stays as it is."""
    import pandas
    whole = all(v is not None for v in values)
    kinds = {"integer": "int64" if whole else "Int64", "boolean": "bool" if whole else "boolean", "float": "float64"}
    read = {"integer": int, "float": float, "decimal": decimal.Decimal}.get(kind, plain)
    try:
        if kind == "decimal" and all(v is None or fits(decimal.Decimal(v)) for v in values):
            kinds, read = {kind: "float64"}, float
        values = [None if v is None else read(v) for v in values]
        if kind in ("date", "timestamp", "timestamptz"):
            return pandas.to_datetime(pandas.Series(values, dtype=object), utc=kind == "timestamptz")
        return pandas.Series(values, dtype=kinds.get(kind, object))
    except (TypeError, ValueError, OverflowError, decimal.InvalidOperation):
        return pandas.Series(values, dtype=object)


def fits(v):
    """Reports whether a decimal has at most 15 digits: a float, which pandas calculates with, holds these."""
    return v.is_finite() and len(v.as_tuple().digits) <= 15 and abs(v.as_tuple().exponent) <= 15


def calculable(table):
    """Makes floats of columns of decimals that floats hold."""
    for i, field in enumerate(table.schema):
        if str(field.type).startswith("decimal"):
            compute = importlib.import_module("pyarrow.compute")
            if all(v is None or abs(v) < 10 ** (15 - field.type.scale) for v in compute.min_max(table[i]).as_py().values()):
                table = table.set_column(i, field.name, table[i].cast("string").cast("float64"))
    return table


def plain(v):
    """Makes numbers inside of a value what Python has for them."""
    if isinstance(v, decimal.Decimal):
        return float(v)
    return [plain(w) for w in v] if isinstance(v, list) else {k: plain(w) for k, w in v.items()} if isinstance(v, dict) else v


def lines(request):
    """Reads objects of JSON, one a line: into pandas, or a list of dictionaries without it."""
    names, values = request["columns"], [[] for _ in request["columns"]]
    with open(request["path"], encoding="utf-8") as file:
        for line in file:
            row = json.loads(line, parse_float=decimal.Decimal)
            for name, list in zip(names, values):
                list.append(row.get(name))
    try:
        import pandas
    except ImportError:
        return [dict(zip(names, map(plain, row))) for row in zip(*values)]
    frame = pandas.concat([column(v, t) for v, t in zip(values, request["types"])], axis=1)
    frame.columns = names
    return frame


def nullable(table):
    """Maps types of whole numbers with missing ones to those of pandas that keep them whole."""
    import pandas
    missing = {f.type for f, c in zip(table.schema, table.columns) if c.null_count and "int" in str(f.type).split("<")[0]}
    return {t: pandas.api.types.pandas_dtype(str(t).replace("u", "U").replace("i", "I")) for t in missing}.get


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
            frame = calculable(frame).to_pandas(types_mapper=nullable(frame))
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
    if kind in ("pandas", "polars") and type(value).__name__ == "DataFrame":
        columns, total, values = [str(c) for c in value.columns], len(value), cells(value.head(most))
    elif isinstance(value, list) and all(isinstance(r, dict) for r in value):
        columns = list(dict.fromkeys(str(k) for r in value for k in r))
        total, values = len(value), [[r.get(c) for r in value[:most]] for c in columns]
    else:
        raise TypeError(f"'{name}' is not a data frame or a list of dictionaries")
    rows = list(zip(*[[exact(v) for v in c] for c in values]))
    if len(json.dumps(rows)) > MOST_FRAME:
        raise ValueError("the rows are more than 3 MB: show fewer rows or columns, or shorter texts")
    types = [kind_of([v for v in c if exact(v) is not None]) for c in values]
    return {"kind": "frame", "columns": columns, "types": types, "rows": rows, "row_count": total}


for line in requests:
    request = json.loads(line)
    out = Bounded()
    sys.stdout = sys.stderr = out
    if "files" in request and isinstance(space.get("files", None), (Files, type(None))):
        space["files"] = Files("file", request["mark"], request["files"])
    try:
        if "frame" in request:
            answer = frame(request["frame"], request["rows"])
        else:
            answer = summed(load(request)) if "path" in request else shown(run(request["code"]))
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
