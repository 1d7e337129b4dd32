import assert from "node:assert/strict";
import test from "node:test";
import { propose } from "../src/chart/chart";
import { readable } from "../src/format";
import { arrange, told } from "../src/ui/arrange";
import { lines } from "../src/ui/csv";
import { summarize } from "../src/ui/summary";
import type { PageColumn, PageRows, Value } from "../src/types";

const column = (name: string, type: string): PageColumn => ({ name, type, numeric: /INT|DOUBLE/.test(type) });
const columns = [column("name", "VARCHAR"), column("n", "BIGINT")];
const rowsOf = (rows: Value[][]): PageRows => ({ columns, rows, shown: rows.length, more: false, caveats: [] });

test("rows are sorted exactly, with NULL last", () => {
  const r = rowsOf([["a", "9007199254740993"], ["b", null], ["c", "9007199254740992"], ["d", 3]]);
  assert.deepEqual(arrange(r, "", [], { at: 1, down: false }).map(x => x[0]), ["d", "c", "a", "b"]);
  assert.deepEqual(arrange(r, "", [], { at: 1, down: true }).map(x => x[0]), ["a", "c", "d", "b"]);
});

test("conditions hold for values, NULL and ranges", () => {
  const r = rowsOf([["a", 1], ["", 2], [null, 3], ["a", null]]),
    names = (...c: Parameters<typeof arrange>[2]) => arrange(r, "", c).map(x => x[1]);
  assert.deepEqual(names({ at: 0, is: "a" }), [1, null]);
  assert.deepEqual(names({ at: 0, is: "" }), [2]);
  assert.deepEqual(names({ at: 0, is: null }), [3]);
  assert.deepEqual(names({ at: 1, from: 1, to: 3, last: false }), [1, 2]);
  assert.deepEqual(names({ at: 1, from: 1, to: 3, last: true }, { at: 0, is: null }), [3]);
  assert.equal(told({ at: 0, is: "" }, columns), "name = ''");
  assert.equal(told({ at: 1, from: 1, to: 3, last: true }, columns), "1 ≤ n ≤ 3");
});

test("a summary counts what is there", () => {
  const few = summarize(columns[0]!, 0, [["a"], ["b"], ["a"], [null], [""]]);
  assert.deepEqual([few.rows, few.nulls, few.distinct, few.low, few.high], [5, 1, 3, "", "b"]);
  assert.deepEqual(few.top, [{ value: "a", n: 2 }, { value: "b", n: 1 }, { value: "", n: 1 }]);
  const rows = Array.from({ length: 101 }, (_, i) => ["x", i / 10] as Value[]),
    many = summarize(column("n", "DOUBLE"), 1, rows);
  assert.deepEqual([many.median, many.low, many.high], [5, 0, 10]);
  assert.equal(many.bins!.reduce((n, b) => n + b.n, 0), 101);
  // Each range shows as many rows as its bar says.
  for (const b of many.bins!) assert.equal(arrange(rowsOf(rows), "", [{ at: 1, ...b }]).length, b.n, JSON.stringify(b));
  const big = summarize(columns[1]!, 1, [["", "9007199254740993"], ["", "9007199254740992"]]);
  assert.deepEqual([big.distinct, big.high], [2, "9007199254740993"]);
  assert.deepEqual(summarize(columns[0]!, 0, []), { rows: 0, nulls: 0, distinct: 0 });
});

test("a chart never adds up unasked", () => {
  const raw = propose(columns, [["a", 1], ["a", 2]]), one = propose(columns, [["a", 1], ["b", 2]]);
  assert.deepEqual([raw.kind, raw.how, one.how], ["bar", "mean", "each"]);
  assert.equal(propose([columns[0]!], [["a"]]).how, "count");
  assert.equal(propose([column("day", "DATE"), columns[1]!], [["2024-01-01", 1]]).kind, "line");
});

test("text for other programs is exact, and no formula", () => {
  assert.equal(lines([{ name: "a" }, { name: "b" }], [["=1+1", null], ["", "x,y"]], ","), 'a,b\n\'=1+1,\n"","x,y"\n');
  assert.equal(readable("9007199254740993", column("big", "BIGINT")), "9,007,199,254,740,993");
  assert.equal(readable(20240101, column("station_id", "BIGINT")), "20240101");
});
