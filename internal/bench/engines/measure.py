"""Measures `da serve` before the engines of Spark (Sail) and ClickHouse (chdb), beside
their own Arrow clients that write parquet: seconds, processor seconds, memory, the
server's memory while many rows pass, and the time to the first row beyond the engine's
own. One series, in turn: the ratios count.

    python3 internal/bench/engines/measure.py DA READERS CLIENT [--rows N] [--passed N] [--runs N]

DA is the binary, READERS the Python of .ci/needs (.cache/readers/bin/python3), CLIENT one
with pyspark-client 4.1.1, pandas 2.3 and pyarrow.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import uuid

SPARK = """
import sys, pyarrow.parquet as pq
from pyspark.sql import SparkSession
s = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
"""
SPARK_MAKE = SPARK + "s.sql(sys.argv[2])\n"
SPARK_READ = SPARK + "pq.write_table(s.table(sys.argv[2]).toArrow(), sys.argv[3], compression='zstd')\n"
SPARK_FIRST = SPARK + """
import time
for i in range(int(sys.argv[3]) + 1):
    at = time.perf_counter(); next(s.table(sys.argv[2]).toLocalIterator()); print(time.perf_counter() - at)
"""
HOUSE_READ = """
import sys, urllib.request, pyarrow.ipc, pyarrow.parquet as pq
rows = pyarrow.ipc.open_stream(urllib.request.urlopen(sys.argv[1], ('SELECT * FROM ' + sys.argv[2]).encode()))
with pq.ParquetWriter(sys.argv[3], rows.schema, compression='zstd') as out:
    for batch in rows: out.write_batch(batch)
"""


class Watched:
    """A process with the most memory that it had, and its processor seconds."""

    def __init__(self, args, **how):
        self.process = subprocess.Popen(args, **how)
        self.peak, self.cpu, self.seen = 0, 0.0, []
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        at = f"/proc/{self.process.pid}"
        try:
            while self.process.poll() is None:
                status = pathlib.Path(at, "status").read_text()
                self.peak = max(self.peak, int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1000)
                self.seen.append(int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1000)
                stat = pathlib.Path(at, "stat").read_text().rsplit(")", 1)[1].split()
                self.cpu = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
                time.sleep(0.02)
        except (OSError, TypeError):
            pass  # it has ended

    def stop(self):
        self.process.terminate()
        self.process.wait()


def ran(args, **how):
    """Seconds, processor seconds and the most megabytes of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    w = Watched(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    out, err = w.process.communicate()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if w.process.returncode:
        sys.exit(f"{args}: {err.decode()}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, w.peak, out


def median(samples, i):
    return statistics.median(s[i] for s in samples)


class Serve:
    """A fresh `da serve` on an instance."""

    def __init__(self, da, folder):
        self.da, self.folder = da, folder
        for home in ("home", "client", "state"):
            shutil.rmtree(f"{folder}/{home}", ignore_errors=True)
        self.env = dict(os.environ, DA_HOME=f"{folder}/home", DA_INSTANCE=f"{folder}/instance.yaml")
        self.watched = Watched([da, "serve", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True, env=self.env)
        said = ""
        while not (self.url(said) and self.token(said)):
            line = self.watched.process.stderr.readline()
            if not line:
                sys.exit(said)
            said += line
        self.address, self.secret = self.url(said)[0], self.token(said)[0]
        threading.Thread(target=self.watched.process.stderr.read, daemon=True).start()
        self.client = dict(self.env, DA_SERVER=self.address, DA_TOKEN=self.secret, DA_HOME=f"{folder}/client")
        del self.client["DA_INSTANCE"]

    url = staticmethod(re.compile(r"https?://127[^\s\"']+").findall)
    token = staticmethod(re.compile(r"\bda_[\w-]{20,}").findall)

    def first(self, table):
        """Seconds until the first batch of rows is there."""
        import pyarrow.ipc

        ask = urllib.request.Request(self.address + "/api/v2/scan", json.dumps({"table_id": table}).encode(),
                                     {"Authorization": "Bearer " + self.secret, "Content-Type": "application/json"})
        at = time.perf_counter()
        with urllib.request.urlopen(ask) as answer:
            pyarrow.ipc.open_stream(answer).read_next_batch()
            return time.perf_counter() - at


def compare(name, o, folder, peer, first):
    """Prints the figures of an engine with the tables big, passed and small."""
    ours, theirs, server = [], [], []
    for _ in range(o.runs):
        s = Serve(o.da, folder)
        ours.append(ran([o.da, "fetch", "big", "--as", "big"], env=s.client))
        s.watched.stop()
        server.append((s.watched.peak, s.watched.cpu))
        theirs.append(ran(peer("big")))
    print(f"\n## {name}, {o.rows} rows\n\n| | wall, s | CPU, s | most MB |\n|---|---|---|---|")
    print(f"| da fetch | {median(ours, 0):.2f} | {median(ours, 1):.2f} | {median(ours, 2):.0f} |")
    print(f"| da serve | | {median(server, 1):.2f} | {median(server, 0):.0f} |")
    print(f"| its own client | {median(theirs, 0):.2f} | {median(theirs, 1):.2f} | {median(theirs, 2):.0f} |")
    print(f"| ratio | speed {median(theirs, 0) / median(ours, 0):.2f} | {median(ours, 1) / median(theirs, 1):.2f} | {median(ours, 2) / median(theirs, 2):.2f} |")
    s = Serve(o.da, folder)
    before = len(s.watched.seen)
    ran([o.da, "fetch", "passed", "--as", "passed"], env=s.client)
    seen = s.watched.seen[before:]
    parts = [max(seen[i * len(seen) // 4:(i + 1) * len(seen) // 4] or [0]) for i in range(4)]
    print(f"\nda serve, while {o.passed} rows pass: at most {s.watched.peak:.0f} MB; in the quarters {', '.join(f'{p:.0f}' for p in parts)} MB")
    through, own = [s.first("small") for _ in range(o.firsts + 1)][1:], first("small")
    beyond = statistics.median(through) - statistics.median(own)
    print(f"first row: {1000 * statistics.median(through):.0f} ms through da serve, {1000 * statistics.median(own):.0f} ms from the engine, {1000 * beyond:.0f} ms beyond")
    s.watched.stop()


def instance(folder, source):
    tables = "".join(f"  - {{ id: {t}, source: main, relation: {t}, public: true }}\n" for t in ("big", "passed", "small"))
    pathlib.Path(folder, "instance.yaml").write_text(
        "api: { scan: { max_limit: 100000000, max_result_bytes: 20000000000 } }\n" + f"sources:\n  main: {source}\ntables:\n{tables}")


def spark(o, folder):
    sail = str(pathlib.Path(o.readers).parent / "sail")
    port = str(free())
    engine = Watched([sail, "spark", "server", "--ip", "127.0.0.1", "--port", port], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    at = f"sc://127.0.0.1:{port}/;session_id={uuid.uuid4()}"
    time.sleep(2)
    try:
        for table, rows in (("big", o.rows), ("passed", o.passed), ("small", 10_000)):
            ran([o.client, "-c", SPARK_MAKE, at, f"CREATE TABLE {table} AS SELECT id, CAST(id % 1000 AS INT) AS n, id / 3.0D AS ratio, CAST(id % 100000 AS DECIMAL(12,2)) AS price, "
                f"CONCAT('name', id) AS name, CONCAT('code', id % 50) AS code, DATE_ADD(DATE '2001-01-01', CAST(id % 3650 AS INT)) AS day, id % 3 = 0 AS ok FROM range({rows})"])
        instance(folder, f'{{ type: spark, uri: "{at}" }}')
        compare("Sail", o, folder, lambda t: [o.client, "-c", SPARK_READ, at, t, f"{folder}/peer.parquet"],
                lambda t: [float(x) for x in ran([o.client, "-c", SPARK_FIRST, at, t, str(o.firsts)])[3].split()][1:])
    finally:
        engine.stop()


def house(o, folder):
    shim = pathlib.Path(__file__).parents[2] / "testing/chtest/shim.py"
    engine = Watched([o.readers, str(shim), f"{folder}/data"], stdout=subprocess.PIPE, text=True)
    at = f"http://127.0.0.1:{engine.process.stdout.readline().strip()}/?default_format=ArrowStream&output_format_arrow_compression_method=none"

    def ask(sql):
        return urllib.request.urlopen(at, sql.encode())

    def first(table):
        import pyarrow.ipc

        times = []
        for _ in range(o.firsts + 1):
            start = time.perf_counter()
            pyarrow.ipc.open_stream(ask(f"SELECT * FROM {table}")).read_next_batch()
            times.append(time.perf_counter() - start)
        return times[1:]

    try:
        for table, rows in (("big", o.rows), ("passed", o.passed), ("small", 10_000)):
            ask(f"CREATE TABLE {table} ENGINE = MergeTree ORDER BY id AS SELECT number AS id, toInt32(number % 1000) AS n, number / 3.0 AS ratio, toDecimal64(number % 100000, 2) AS price, "
                f"hex(MD5(toString(number))) AS name, concat('code', toString(number % 50)) AS code, toDate('2001-01-01') + number % 3650 AS day FROM numbers({rows})").read()
        instance(folder, f'{{ type: clickhouse, dsn: "http://{at.split("/")[2]}/default" }}')
        compare("ClickHouse", o, folder, lambda t: [o.client, "-c", HOUSE_READ, at, t, f"{folder}/peer.parquet"], first)
    finally:
        engine.stop()


def free():
    import socket

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


p = argparse.ArgumentParser()
for name in ("da", "readers", "client"):
    p.add_argument(name)
for name, default in (("rows", 3_000_000), ("passed", 10_000_000), ("runs", 3), ("firsts", 20)):
    p.add_argument("--" + name, type=int, default=default)
o = p.parse_args()
o.da, o.readers, o.client = (os.path.abspath(shutil.which(p) or p) for p in (o.da, o.readers, o.client))
for part in (spark, house):
    with tempfile.TemporaryDirectory(prefix="da-bench-") as folder:
        part(o, folder)
