import assert from "node:assert/strict";
import test from "node:test";
import charts from "./charts.json";
import { adds, gathered, doubled, behind, colours, leftOut, markLone, moment, named, ofGroups, periodOf, placed, propose, settle, sharing, type Named } from "../src/chart/choice";
import { share } from "../src/format";
import { fitted, readable } from "../src/values";
import { arrange, namedPart, namedValues, narrowed, placedPart, told, type Condition } from "../src/ui/arrange";
import { valuesIn, withValues } from "../src/look/predicate";
import { lines } from "../src/ui/csv";
import { escaped } from "../src/sql/report";
import { moved } from "../src/ui/scroll";
import { Windows } from "../src/ui/rows";
import { counted } from "../src/ui/ticks";
import { summarize } from "../src/ui/summary";
import type { PageColumn, PageRows, Schema, Value } from "../src/types";

const column = (name: string, type: string): PageColumn => ({ name, type, numeric: /INT|DOUBLE/.test(type) });
const columns = [column("name", "VARCHAR"), column("n", "BIGINT")];
const rowsOf = (rows: Value[][]): PageRows => ({ columns, rows, shown: rows.length, more: false, caveats: [] });

test("rows are sorted exactly, with NULL last", () => {
  const r = rowsOf([["a", "9007199254740993"], ["b", null], ["c", "9007199254740992"], ["d", 3]]);
  assert.deepEqual(arrange(r, { words: "", where: [], order: { at: 1, down: false } }).map(x => x[0]), ["d", "c", "a", "b"]);
  assert.deepEqual(arrange(r, { words: "", where: [], order: { at: 1, down: true } }).map(x => x[0]), ["a", "c", "d", "b"]);
});

test("conditions hold for values, NULL and ranges", () => {
  const r = rowsOf([["a", 1], ["", 2], [null, 3], ["a", null]]),
    names = (...where: Condition[]) => arrange(r, { words: "", where }).map(x => x[1]);
  assert.deepEqual(names({ at: 0, is: "a" }), [1, null]);
  assert.deepEqual(names({ at: 0, is: "" }), [2]);
  assert.deepEqual(names({ at: 0, null: true }), [3]);
  assert.deepEqual(names({ at: 1, from: "1", to: "3", last: false }), [1, 2]);
  assert.deepEqual(names({ at: 1, from: "1", to: "3", last: true }, { at: 0, null: true }), [3]);
  assert.deepEqual(names({ at: 0, has: "A" }), [1, null]);
  assert.deepEqual(names({ at: 1, from: "2" }), [2, 3]);
  assert.deepEqual(names({ at: 1, in: ["1", "3.0"] }), [1, 3]);
  assert.deepEqual(names({ at: 0, in: ["", "b"] }), [2]);
  assert.equal(told({ at: 0, in: ["", "b"] }, columns), "name = '' or b");
  assert.deepEqual(placedPart(namedPart({ words: "", where: [{ at: 0, in: ["a", "b"] }] }, columns), columns).where,
    [{ at: 0, in: ["a", "b"] }]);
  assert.deepEqual(counted(r.rows, 0), [{ value: "a", n: 2 }, { value: "", n: 1 }]);
  assert.equal(told({ at: 0, is: "" }, columns), "name = ''");
  assert.equal(told({ at: 1, from: "1", to: "3", last: true }, columns), "1 ≤ n ≤ 3");
});

test("values of a column take the place of its values, and of nothing else", () => {
  const where: Condition[] = [{ at: 0, in: ["9E", "AA"] }, { at: 0, has: "A" }, { at: 1, is: "1" }];
  assert.deepEqual(namedValues(where, 0), ["9E", "AA"]);
  assert.deepEqual(namedValues(where, 1), ["1"]);
  assert.deepEqual(narrowed(where, [{ at: 0, is: "B6" }], columns), [...where.slice(1), { at: 0, is: "B6" }]);
  assert.deepEqual(narrowed(where, [{ at: 1, from: "1" }], columns), [...where, { at: 1, from: "1" }]);
  assert.deepEqual(narrowed(where, [{ at: 0, has: "A" }], columns).length, 3);
  assert.deepEqual(narrowed([{ at: 0, null: true }], [{ at: 0, is: "a" }], columns), [{ at: 0, is: "a" }]);
});

test("a predicate says which values it names, and takes others in their place", () => {
  const s = { table_id: "t", sql_flavor: "duckdb", columns: [...columns, column("day", "DATE"), column("two words", "TEXT")] } as unknown as Schema;
  const is = (where: string, values: string[], then: string) => {
    assert.deepEqual(valuesIn(where, 0, s), values, where);
    assert.equal(withValues(where, { at: 0, is: "B6" }, s), then);
  };
  is("", [], "name = 'B6'");
  const days = (where: string) => withValues(where, { at: s.columns.findIndex(c => c.name === "day"), from: "2024-01-02", to: "2024-01-03", last: true }, s);
  const range = "day >= DATE '2024-01-02' AND day <= DATE '2024-01-03'";
  assert.equal(days("n > 1 AND day <> DATE '2024-01-05'"), `n > 1 AND day <> DATE '2024-01-05' AND ${range}`);
  assert.equal(days(days("n > 1 AND day < DATE '2023-01-01'")), `n > 1 AND ${range}`);
  is("name IN ('9E', 'A''A')", ["9E", "A'A"], "name = 'B6'");
  is("n > 1 and name = 'x AND y' AND day BETWEEN DATE '2024-01-01' AND DATE '2024-02-01'", ["x AND y"],
    "n > 1 AND day BETWEEN DATE '2024-01-01' AND DATE '2024-02-01' AND name = 'B6'");
  is("name IS NULL AND (n = 1 OR n = 2)", [], "(n = 1 OR n = 2) AND name = 'B6'");
  // Nothing is taken away that may mean something else.
  for (const [other, kept] of [["name = 'a' OR n = 1", "(name = 'a' OR n = 1)"], ["NOT name = 'a'"], ["name = n"], ["names = 'a'"],
    ["name = 'a' || 'b'"], ["name LIKE 'a'"], ["(n = 1 AND name = 'a')"]] as [string, string?][]) is(other, [], `${kept ?? other} AND name = 'B6'`);
  assert.deepEqual(valuesIn("day = DATE '2024-01-01' AND n IN (1, -2.5)", 1, s), ["1", "-2.5"]);
  assert.deepEqual(valuesIn("day = DATE '2024-01-01'", 2, s), ["2024-01-01"]);
  assert.deepEqual(valuesIn(`"two words" = 'a'`, 3, s), ["a"]);
});

test("a chart says what it leaves out, and marks the points that no line reaches", () => {
  const c = { kind: "line" as const, x: 1, y: 2, by: 0, how: "each" as const }, of = [...columns, column("y", "DOUBLE")],
    rows: Value[][] = [["a", 1, 5], ["a", null, 5], ["a", 2, null], ["a", 3, "NaN"], ["b", 1, 2]];
  assert.equal(leftOut(of, rows, c), "Not in the chart: 3 of 5 rows, without a value of n or y.");
  assert.equal(leftOut(of, rows, { ...c, kind: "bar" }), "Not in the chart: 2 of 5 rows, without a value of y.");
  assert.equal(leftOut(of, rows, { ...c, how: "count" }), "Not in the chart: 1 of 5 rows, without a value of n.");
  assert.equal(leftOut(of, rows.slice(0, 1), c), "");
  const made = ofGroups({ rows: [[1, 5, null, null, 10, 3], [null, 5, null, null, 2, 0]], found: 2 }, of, { ...c, how: "mean", by: -1 });
  assert.equal(leftOut(made.columns, made.rows, made.choice), "Not in the chart: 5 of 12 rows, without a value of n or mean of y.");
  const points = [[3, 1, "a"], [1, 1, "a"], [2, null, "a"], [4, 1, "a"], [9, 7, "b"]].map(([x, y, by]) =>
    ({ x: x as number, y: y as number | null, by: by as string, lone: 0 }));
  markLone(points, c, true);
  assert.deepEqual(points.map(p => p.lone), [0, 1, 0, 0, 1]);
});

test("the rows behind a mark are exactly its own", () => {
  const of = [...columns, column("at", "TIMESTAMP")], rows: Value[][] = [["a", 1, "2024-01-31T00:00:00"], [null, 2, null],
    ["a", 2, "2024-02-29T10:00:00"]];
  const c = { kind: "bar" as const, x: 0, y: -1, by: 1, how: "count" as const };
  assert.deepEqual(behind({ x: "a", by: "2" }, of, rows, c), [{ at: 0, is: "a" }, { at: 1, is: "2" }]);
  assert.deepEqual(behind({ x: null, by: "2" }, of, rows, { ...c, by: -1 }), [{ at: 0, null: true }]);
  // The last range has its end.
  const bins = { ...c, x: 1, by: -1, bins: true };
  assert.deepEqual(behind({ bin_maxbins_24_x: 1, bin_maxbins_24_x_end: 2 }, of, rows, bins), [{ at: 1, from: "1", to: "2", last: true }]);
  assert.deepEqual(behind({ x: 0, x_end: 1 }, of, [[0, 0], [1, 2]].map(([n, m]) => ["", n!, m!]), { ...bins, made: true }),
    [{ at: 1, from: "0", to: "1", last: true }]);
  const time = { ...c, x: 2, by: -1 }, at = { x: new Date("2024-01-31T00:00:00Z") };
  assert.deepEqual(behind(at, of, rows, time), [{ at: 2, is: "2024-01-31T00:00:00" }]);
  assert.deepEqual(behind(at, of, rows, time, "day"), [{ at: 2, from: "2024-01-31T00:00:00", to: "2024-02-01T00:00:00" }]);
  assert.deepEqual(behind({ utcyearmonth_x: Date.UTC(2024, 0, 31) }, of, rows, time), [{ at: 2, is: "2024-01-31T00:00:00" }]);
  assert.equal(behind({ x: "b" }, of, rows, c), undefined);
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
  for (const b of many.bins!) assert.equal(arrange(rowsOf(rows), { words: "", where: [{ at: 1, from: String(b.from), to: String(b.to), last: b.last }] }).length,
    b.n, JSON.stringify(b));
  const big = summarize(columns[1]!, 1, [["", "9007199254740993"], ["", "9007199254740992"]]);
  assert.deepEqual([big.distinct, big.high], [2, "9007199254740993"]);
  assert.deepEqual(summarize(columns[0]!, 0, []), { rows: 0, nulls: 0, distinct: 0 });
});

test("times are summarized by periods, each with as many rows as its bar says", () => {
  const at = column("at", "TIMESTAMP"), of = (rows: Value[][]): PageRows => ({ ...rowsOf(rows), columns: [at] });
  for (const step of [1, 60, 3600, 86_400, 40 * 86_400]) {
    const rows = Array.from({ length: 30 }, (_, i) =>
      [new Date(Date.UTC(2024, 0, 31, 22) + i * step * 1000).toISOString().slice(0, 19)] as Value[]);
    const s = summarize(at, 0, rows);
    assert.ok(s.bins && s.bins.length <= 62 && !s.top, JSON.stringify(s));
    for (const b of s.bins!) assert.equal(arrange(of(rows), { words: "", where: [{ at: 0, from: String(b.from), to: String(b.to) }] })
      .length, b.n, JSON.stringify(b));
    assert.equal(s.bins!.reduce((n, b) => n + b.n, 0), 30);
  }
  assert.ok(summarize(at, 0, ["infinity", 1, 2, 3, 4, 5, 6].map(v => [String(v)])).top);
});

test("a chart never adds up unasked, here as in reports", () => {
  for (const e of charts as { columns: string[]; rows: Value[][]; chosen?: Named; draws: string }[]) {
    const columns = e.columns.map(c => column(...c.split(" ") as [string, string]));
    const c = settle(placed(e.chosen, columns) ?? propose(columns, e.rows), columns, e.rows, false), name = (at = -1) => columns[at]?.name;
    assert.equal([c.kind, name(c.x), c.how, ...c.how === "count" ? [] : [name(c.y)], ...c.also! >= 0 ? ["and", name(c.also)] : [],
      ...c.by >= 0 ? ["by", name(c.by)] : [], ...c.bins ? ["in ranges"] : []].join(" "), e.draws);
  }
});

test("no chart is proposed of texts that are nearly as many as rows", () => {
  const of = columns.slice(0, 1), titles = Array.from({ length: 61 }, (_, i): Value[] => ["t" + i]);
  assert.equal(propose(of, titles).none, true);
  assert.equal(propose(of, titles.slice(1)).none, undefined);
  assert.deepEqual([propose(of, titles.map(() => ["a"])).x, propose(of, titles.map(() => ["a"])).how], [0, "count"]);
});

test("a figure is shown whole, or rounded behind a mark", () => {
  const in_ = (exact: string, most: number) => fitted(readable(exact, column("n", "DOUBLE")), exact, s => s.length <= most);
  assert.deepEqual([9, 8, 6, 5, 4, 3, 2].map(n => in_("10.1497584", n)), ["10.149758", "≈10.1498", "≈10.15", "≈10.1", "≈10", "≈10", "…"]);
  assert.deepEqual([10, 9, 6, 4].map(n => in_("22019466", n)), ["22,019,466", "≈22M", "≈22M", "≈22M"]);
  assert.equal(in_("0.00000012345678", 6), "≈1e-7");
});

test("a share is nothing or all only where it is", () => {
  assert.deepEqual([[0, 5], [1, 3201], [1, 2], [3200, 3201], [5, 5]].map(([n, all]) => share(n!, all!)),
    ["0.0%", "<0.1%", "50.0%", ">99.9%", "100.0%"]);
});

test("a chart measures the last number that is not a time or a key", () => {
  const up = (...names: string[]) => names[propose([columns[0]!, ...names.map(n => column(n, "BIGINT"))], []).y - 1];
  assert.equal(up("year", "month", "delays", "flights", "carrier_id", "Day"), "flights");
  assert.equal(up("hour", "station_key"), "hour");
  assert.equal(up("paid", "monthly"), "monthly");
});

test("text for other programs is exact, and no formula", () => {
  assert.equal(lines([{ name: "a" }, { name: "b" }], [["=1+1", null], ["", "x,y"]], ","), 'a,b\n\'=1+1,\n"","x,y"\n');
  assert.equal(readable("9007199254740993", column("big", "BIGINT")), "9,007,199,254,740,993");
  assert.equal(readable(20240101, column("station_id", "BIGINT")), "20240101");
  assert.equal(readable(8893, column("rides", "BIGINT")), "8,893");
  assert.equal(readable(1998, { ...column("released", "BIGINT"), years: true }), "1998");
});

test("rows come by windows, once each, also where an answer ends early", async () => {
  const asked: [number, number][] = [], told: (() => void)[] = [];
  const w = new Windows(1_000_001, async (from, limit) => {
    asked.push([from, limit]);
    return Array.from({ length: Math.min(limit, 150) }, (_, i) => [from + i] as Value[]);
  }, () => told.shift()?.());
  const look = (from: number, to: number, windows: number) => {
    const all = Array.from({ length: windows }, () => new Promise<void>(done => told.push(done)));
    w.look(from, to);
    return Promise.all(all);
  };
  await look(1_000_000, 1_000_001, 1);
  assert.deepEqual(asked, [[1_000_000, 1]]);
  assert.deepEqual(w.row(1_000_000), [1_000_000]);
  await look(390, 410, 2);
  assert.deepEqual([w.row(399), w.row(400), w.row(600)], [[399], [400], undefined]);
  assert.deepEqual(asked.slice(1), [[200, 200], [400, 200], [350, 50], [550, 50]]);
  w.look(395, 405);
  assert.equal(asked.length, 5);
});

test("a tall content is scrolled exactly nearby, and by its share afar", () => {
  const full = 30_000_000, at = { top: 15_000_000, scrolled: 4_000_000, left: 0, height: 600, width: 800 };
  assert.equal(moved(at, 4_000_100, 600, full), 15_000_100);
  assert.equal(Math.round(moved(at, 6_000_000, 600, full) / full * 100), 75);
  assert.equal(moved(at, 0, 600, full), 0);
  assert.equal(moved(at, 8_000_000 - 600, 600, full), full - 600);
  assert.equal(moved({ ...at, top: 50, scrolled: 50 }, 900, 600, 9000), 900);
});

test("what a saved page shows is text", () => {
  assert.equal(escaped(`<img src=x onerror="a('b')">&`), "&#60;img src=x onerror=&#34;a(&#39;b&#39;)&#34;&#62;&#38;");
});

test("a chart is found again by the names of its columns, and nothing else is taken for one", () => {
  const c = propose(columns, [["a", 1], ["b", 2]]), again = placed(named(c, columns), [...columns].reverse());
  assert.deepEqual([again?.x, again?.y, again?.by, again?.kind], [1, 0, -1, "bar"]);
  assert.equal(placed(named(c, columns), [columns[0]!]), undefined);
  for (const bad of [{}, { kind: "bar", how: "eval", x: "name", y: "n", by: "" }, { kind: "<b>", how: "mean", x: "n" }])
    assert.equal(placed(bad as Named, columns), undefined);
});

test("of rows that are more than can be drawn figures are drawn", () => {
  const each = { kind: "point" as const, x: 1, y: 1, by: -1, how: "each" as const };
  const many = settle(each, columns, [], true);
  assert.deepEqual([many.how, many.bins], ["count", true]);
  assert.equal(settle({ ...each, kind: "bar", x: 0 }, columns, [], true).how, "mean");
  assert.equal(settle({ ...each, x: 0 }, columns, [["a", 1], ["a", 2]], false).how, "each");
  const made = ofGroups({ rows: [["2024-01-01", 5, null, null]], found: 1, each: "day" },
    [column("t", "TIMESTAMP"), columns[1]!], { kind: "line", x: 0, y: 1, by: -1, how: "mean" });
  assert.deepEqual([made.choice.y, made.labels.x, made.labels.y], [1, "t (by day)", "mean of n"]);
});

test("two columns are two series, which are never added up", async () => {
  const columns = [column("day", "VARCHAR"), column("a", "INT"), column("b", "INT")], rows = [["x", 1, 2], ["y", 3, 4]];
  const c = settle({ kind: "bar", x: 0, y: 1, by: 0, how: "each", also: 2 }, columns, rows, false);
  const two = doubled(columns, rows, c);
  assert.deepEqual([c.by, adds(c), two.columns[1]!.name, two.choice.by], [-1, false, "a, b", 2]);
  assert.deepEqual(two.rows, [["x", 1, "a"], ["y", 3, "a"], ["x", 2, "b"], ["y", 4, "b"]]);
  const made = await gathered(async c => ({ found: 1, rows: [["x", c.y, null, null, 1, 0]] }), { ...c, how: "sum" }, columns);
  assert.deepEqual(made, { found: 2, rows: [["x", 1, "a", null, 1, 0], ["x", 2, "b", null, 1, 0]] });
  assert.equal(ofGroups(made, columns, { ...c, how: "sum" }).columns[1]!.name, "sum of a, b");
  const link = named({ ...c, across: "Day", panels: true }, columns);
  assert.equal(link.also, "b");
  assert.deepEqual(placed(link, columns), { ...c, across: "Day", up: "", title: "", panels: true });
});

test("each series has a colour of its own, and those of which the least is drawn share one that is told", () => {
  const c = { kind: "bar", how: "count", x: 1, y: -1, by: 0 } as const;
  const rows = Array.from({ length: 16 }, (_, i): Value[] => ["carrier " + i, i]);
  assert.deepEqual(colours(rows, c), { own: rows.map(r => r[0]), others: 0 });
  assert.deepEqual(sharing(columns, rows, c), []);
  const many = Array.from({ length: 25 }, (_, i): Value[][] => [["s" + i, 1], ...i > 5 ? [["s" + i, 2]] : []]).flat();
  const found = colours(many, c);
  assert.deepEqual([found.own.length, found.others, found.own.includes("s24"), found.own.includes("s0")],
    [19, 6, true, false]);
  assert.deepEqual(sharing(columns, many, c), ["6 of 25 values of name share one colour: those with the smallest count of rows"]);
  // What is drawn decides, not how many rows it came from.
  const drawn = many.map(([s]): Value[] => [s!, s === "s0" ? 99 : s === "s24" ? -1 : 1]);
  for (const how of ["each", "sum", "mean", "median"] as const) {
    const { own } = colours(drawn, { ...c, how, y: 1 });
    assert.deepEqual([own.includes("s0"), own.includes("s24")], [true, false], how);
  }
  const made = many.map(([s, n]): Value[] => [n!, s === "s0" ? 9 : 1, s!, null, 1, 0]), mean = { ...c, how: "mean", x: 0, y: 1, by: 2, made: true } as const;
  assert.ok(colours(made, mean).own.includes("s0"));
  const of = [columns[1]!, column("mean of n", "DOUBLE"), columns[0]!];
  assert.deepEqual(sharing(of, made, mean), ["6 of 25 values of name share one colour: those with the smallest mean of n"]);
});

test("times are placed as in UTC, and begin the longest period that fits all", () => {
  assert.equal(moment("2024-01-01"), Date.UTC(2024, 0, 1));
  assert.equal(moment("2024-01-01T12:30:00"), Date.UTC(2024, 0, 1, 12, 30));
  assert.equal(moment("2024-01-01 12:30:00.5Z"), Date.UTC(2024, 0, 1, 12, 30, 0, 500));
  const period = (...times: string[]) => periodOf(times.map(moment));
  assert.equal(period("2023-01-01", "2025-01-01"), "year");
  assert.equal(period("2023-01-01", "2023-10-01"), "quarter");
  assert.equal(period("2023-01-01", "2023-02-01"), "month");
  assert.equal(period("2024-01-01", "2024-01-15"), "week");
  assert.equal(period("2024-01-02", "2024-01-15"), "day");
  assert.equal(period("2024-01-02", "2024-01-02T05:00:00"), "hour");
  assert.equal(period("2024-01-02", "2024-01-02T05:30:00"), "");
  assert.equal(period(), "");
});
