"""Builds da with and without the sources of engines and open tables, and prints what
they add to the binary and to the time until main begins: of each package the least of
25 runs, so that other work on the machine does not count. Run at the root of the module.

    python3 internal/bench/engines/binary.py
"""
import collections
import json
import os
import re
import subprocess
import tempfile


def cut(text, packages, functions):
    for name in packages:
        text = text.replace(f'\t"github.com/agnes-data/da/source/{name}"\n', "")
    for name in functions:
        text = re.sub(rf"(//[^\n]*\n)*func {name}\(.*?\n}}\n", "", text, flags=re.S)
    return text


def without(folder):
    """An overlay in which the registry has none of these sources."""
    registry = open("source/registry/registry.go").read()
    begin, end = registry.index("\t\t{\n\t\t\tSourceType: config.SourceType{Type: api.SourceSpark"), registry.index("\t}\n}\n\nfunc bigQueryKeys")
    registry = cut(registry[:begin] + registry[end:], ["clickhouse", "dbfile", "snowflake", "spark", "trino"],
                   ["openSpark", "openClickHouse", "openTrino", "openSnowflake", "snowflakeKeys", "overHTTP"])
    lakes = cut(open("source/registry/lakes.go").read(), ["delta", "iceberg", "lent", "listed"],
                ["icebergKeys", "engineKeys", "lend", "folder", "openDelta", "openIceberg", "tables", "fileKeys", "folderKeys"])
    for unused in ("cmp", "path/filepath", "slices", "fmt"):
        lakes = lakes.replace(f'\t"{unused}"\n', "")
    lakes += "\nfunc lend(*config.Instance, map[string]source.Source) error { return nil }\n"
    replaced = {}
    for name, text in (("registry", registry), ("lakes", lakes)):
        replaced[os.path.abspath(f"source/registry/{name}.go")] = f"{folder}/{name}.go"
        open(f"{folder}/{name}.go", "w").write(text)
    json.dump({"Replace": replaced}, open(f"{folder}/overlay.json", "w"))
    return ["-overlay", f"{folder}/overlay.json"]


def measure(folder, name, flags):
    binary = f"{folder}/{name}"
    subprocess.run(["go", "build", *flags, "-ldflags=-s -w", "-o", binary, "./cmd/da"], check=True)
    least = collections.defaultdict(lambda: float("inf"))
    for _ in range(25):
        said = subprocess.run([binary, "version"], env=dict(os.environ, GODEBUG="inittrace=1"), capture_output=True, text=True).stderr
        for package, ms in re.findall(r"^init (\S+) @\S+ ms, (\S+) ms clock", said, re.M):
            least[package] = min(least[package], float(ms))
    return os.path.getsize(binary) / 1e6, sum(least.values())


with tempfile.TemporaryDirectory() as folder:
    size, init = measure(folder, "without", without(folder))
    more, longer = measure(folder, "with", [])
    print(f"without {size:.1f} MB, {init:.2f} ms; with {more:.1f} MB, {longer:.2f} ms: {more - size:+.1f} MB, {longer - init:+.2f} ms")
