import assert from "node:assert/strict";
import test from "node:test";
import { groupedBy } from "../src/sql/behind";
import { complete, type Names } from "../src/sql/complete";
import { mistakeIn } from "../src/sql/run";
import { fromLink, read, titleOf, newSheet } from "../src/sql/sheets";
import { comparedWith, compose, isList, literal, parametersIn, pieces, quoted, spaced, tablesIn, valueOf } from "../src/sql/text";
import { cameOf, keyOf, valuesOf } from "../src/sql/saved";
import { Failure } from "../src/api";

const cells = (...sql: string[]) => sql.map((sql, i) => ({ name: `cell${i + 1}`, sql }));

test("a statement falls into its pieces", () => {
  assert.deepEqual(pieces(`SELECT "a""b", 'it''s' -- @no\n/* $no */ @c $p`).map(p => p.kind + " " + p.text), [
    "word SELECT",
    'name "a""b"',
    "mark ,",
    "text 'it''s'",
    "comment -- @no",
    "comment /* $no */",
    "cell @c",
    "parameter $p",
  ]);
  assert.deepEqual(pieces("'open").map(p => p.kind), ["text"]);
});

test("names are quoted where they must be", () => {
  assert.equal(quoted("IMDB Rating", false), '"IMDB Rating"');
  assert.equal(quoted("order", true), "`order`");
  assert.equal(quoted("iata", false), "iata");
  assert.equal(quoted('a"b', false), '"a""b"');
});

test("tables are known by their aliases", () => {
  assert.deepEqual(
    tablesIn(`SELECT extract(YEAR FROM d) FROM flights f, "my table" AS m JOIN @cell1 ON f.a = m.b ` +
      `WHERE x IN (SELECT y FROM s.z)`),
    [
      { table: "d", alias: "d" },
      { table: "flights", alias: "f" },
      { table: "my table", alias: "m" },
      { table: "@cell1", alias: "cell1" },
      { table: "s.z", alias: "z" },
    ],
  );
});

test("what a statement over one table groups is known by its columns", () => {
  const of = (sql: string) => {
    const g = groupedBy(sql);
    return g && [g.table, g.where, ...[...g.of].map(([name, { column, each }]) => [name, column, each].filter(Boolean).join(" "))];
  };
  assert.deepEqual(of(`SELECT origin, "to", date_trunc('month', d) AS month, count(*) AS n FROM flights WHERE a > 1 OR b GROUP BY 1, 2, 3`),
    ["flights", "a > 1 OR b", "origin origin", "to to", "month d month"]);
  for (const other of ["SELECT a FROM t", "SELECT a FROM t, u GROUP BY a", "SELECT a FROM t JOIN u USING (a) GROUP BY a",
    "SELECT a FROM (SELECT 1 AS a) GROUP BY a", "WITH t AS (SELECT 1 AS a) SELECT a FROM t GROUP BY a"])
    assert.equal(of(other), undefined, other);
});

test("cells come first as steps, each once and in order", () => {
  const c = cells(
    "SELECT 1 AS a;",
    "SELECT * FROM @cell1 -- the first",
    "WITH x AS (SELECT 2) SELECT * FROM x, @cell2, @cell1, @r9, '@cell1'",
  );
  assert.equal(compose(c, 0).sql, "SELECT 1 AS a");
  assert.equal(compose(c, 1).sql, "WITH cell1 AS (SELECT 1 AS a\n)\nSELECT * FROM cell1 -- the first");
  assert.equal(
    compose(c, 2).sql,
    "WITH cell1 AS (SELECT 1 AS a\n), cell2 AS (SELECT * FROM cell1 -- the first\n), " +
      " x AS (SELECT 2) SELECT * FROM x, cell2, cell1, @r9, '@cell1'",
  );
  assert.equal(compose(cells("SELECT * FROM @cell2", "SELECT 1"), 0).sql, "SELECT * FROM @cell2");
});

test("a place in the composed statement leads to where it was written", () => {
  const c = cells("SELECT nme FROM t", "  SELECT * FROM @cell1 WHERE $p > bad"), made = compose(c, 1, { values: { p: "1" } });
  assert.deepEqual(made.origin(made.sql.indexOf("nme")), { cell: 0, at: 7 });
  assert.deepEqual(made.origin(made.sql.indexOf("bad")), { cell: 1, at: c[1]!.sql.indexOf("bad") });
});

test("values are literals that nothing breaks out of", () => {
  const of = (text: string, escapes = false, type = "") => literal(valueOf(text, type), escapes);
  assert.deepEqual(["-1.5", "9007199254740993", "'007'", "''"].map(t => of(t)), ["-1.5", "9007199254740993", "'007'", "''"]);
  assert.equal(of("x' OR '1'='1"), "'x'' OR ''1''=''1'");
  assert.equal(of("\\' OR 1", true), "'\\\\\\' OR 1'");
  assert.equal(of("007", false, "VARCHAR"), "'007'"); // as the column is
  assert.deepEqual(parametersIn(["SELECT $a, '$b'", "SELECT $a, $c"]), ["a", "c"]);
});

test("a value that is no number is not sent to a column of numbers", () => {
  const of = (v: string, type = "INTEGER") => {
    const made = compose(cells("SELECT 1 FROM t WHERE x > $v"), 0, { values: { v }, types: { v: type } });
    return made.fault?.kind ?? made.sql.split("> ")[1];
  };
  assert.deepEqual(["abc", "1,5", "'x'"].map(v => of(v)), Array(3).fill("unreadable_value"));
  assert.deepEqual(["7", "1e3", "-inf", "'7'"].map(v => of(v)), ["7", "'1e3'", "'-inf'", "'7'"]);
  assert.deepEqual([of("abc", "VARCHAR"), of("abc", "")], ["'abc'", "'abc'"]);
});

test("a field of a list has values with commas between them", () => {
  const of = (text: string, type = "") => {
    const made = compose(cells("SELECT 1 FROM t WHERE x NOT IN ($l)"), 0, { values: { l: text }, types: { l: type } });
    return made.fault ? made.fault.message.replace("'$l' cannot be read at ", "") : /\((.*)\)/.exec(made.sql)![1];
  };
  assert.equal(of("1, -2.5"), "1, -2.5");
  assert.equal(of("1, a"), "'1', 'a'");
  assert.equal(of("1,'2'"), "'1', '2'"); // the text says that they are no numbers
  assert.equal(of("SFO , O'Hare,'Dulles, Va.', 'it''s', \"a, b\", ''"), "'SFO', 'O''Hare', 'Dulles, Va.', 'it''s', 'a, b', ''");
  assert.equal(of("007,1", "VARCHAR(3)"), "'007', '1'");
  assert.equal(of("'7', 9007199254740993", "BIGINT"), "7, 9007199254740993");
  assert.equal(of("1) OR (1=1"), "'1) OR (1=1'");
  assert.equal(of("1, b", "INTEGER"), "character 4: b is no number, and the column has numbers");
  assert.equal(of("a,,b"), "character 3: a value is missing");
  assert.equal(of("a, "), "character 4: a value is missing");
  assert.equal(of("a, 'b"), "character 4: the quote has no end");
  assert.equal(of("'a' b"), "character 1: after the quote a comma is missing");
  assert.equal(compose(cells("SELECT $l"), 0, { values: { l: "1,2" } }).sql, "SELECT '1,2'"); // no list
  assert.equal(compose(cells("SELECT $l"), 0).fault!.kind, "no_value");
  assert.deepEqual([isList(["x IN ( $l )"], "l"), isList(["x IN ($l, 1)", "y = $l"], "l")], [true, false]);
  assert.deepEqual(comparedWith(["SELECT 1 FROM t WHERE t.x NOT IN ($l)"], "l"), [{ table: "t", column: "x" }]);
});

const names: Names = {
  tables: async () => ({ many: false, all: [{ name: "flights", detail: "table" }, { name: "my table", detail: "table" }] }),
  columns: async t =>
    t === "flights" ? [{ name: "origin", type: "VARCHAR" }, { name: "IMDB Rating" }]
      : t === "airports" ? [{ name: "origin" }] : undefined,
  values: async (t, c) => t === "flights" && c === "origin" ? ["SFO", "O'Hare"] : undefined,
  joins: async t => t !== "flights" ? [] : [
    { table: "flights", column: "dest", to: "airports", to_column: "iata", known_from: "names" },
    { table: "flights", column: "origin", to: "airports", to_column: "iata", known_from: "the model" },
    { table: "my legs", column: "flight", to: "flights", to_column: "id", known_from: "the model" },
  ],
  repeats: async (_, c) => c === "dest" || c === "origin" ? true : c === "flight" ? undefined : false,
  backticks: () => false,
};
/** What is proposed where the bar is. */
const at = async (sql: string) => {
  const found = await complete(sql.replace("|", ""), sql.indexOf("|"), true, names);
  return found?.options.map(o => o.apply ?? o.label) ?? [];
};

test("only what fits is proposed", async () => {
  assert.deepEqual(await at("SELECT * FROM |"), ["flights", '"my table"']);
  assert.deepEqual(await at("SELECT * FROM a, f|"), ["flights", '"my table"']);
  assert.deepEqual(await at("SELECT f.| FROM flights f"), ["origin", '"IMDB Rating"']);
  assert.deepEqual(await at("SELECT * FROM flights WHERE origin = '|"), ["SFO", "O''Hare"]);
  assert.deepEqual(await at("SELECT * FROM flights f WHERE f.origin IN ('SFO', '|"), ["SFO", "O''Hare"]);
  assert.deepEqual(await at("SELECT * FROM airports a JOIN flights f ON |"), ["a.origin = f.origin"]);
  assert.deepEqual(await at("SELECT 1 -- or|"), []);
  assert.equal((await at("SELECT | FROM flights"))[0], "origin");
  // Before any table is named, columns of all are; a word that is whole is not exchanged for one that ends with it.
  assert.deepEqual((await at("SELECT ori|")).slice(0, 2), ["origin", '"IMDB Rating"']);
  const words = (await at("SELECT origin FROM flights GROUP BY all|"));
  assert.deepEqual([words.includes("ALL"), words.includes("UNION ALL")], [true, false]);
});

test("behind JOIN come tables with their conditions, known ones first", async () => {
  assert.deepEqual(await at("SELECT * FROM flights f JOIN |"), ["airports ON f.origin = airports.iata",
    '"my legs" ON f.id = "my legs".flight', "airports ON f.dest = airports.iata", "flights", '"my table"']);
  assert.deepEqual((await at("SELECT * FROM flights JOIN airports ON flights.origin = airports.iata JOIN air|"))[0],
    "airports AS airports_2 ON flights.origin = airports_2.iata");
  assert.deepEqual(await at("SELECT * FROM flights JOIN a| ON true"), ["flights", '"my table"']);
  const unasked = (sql: string) => complete(sql, sql.length, false, names);
  assert.equal((await unasked("SELECT * FROM flights JOIN "))?.options.length, 5);
  assert.equal(await unasked("SELECT * FROM airports JOIN "), undefined);
});

test("a join says whether it repeats rows, and comes last if it does on both sides", async () => {
  const found = async (sql: string, more: Partial<Names> = {}) =>
    (await complete(sql, sql.length, true, { ...names, ...more }))!.options.map(o => `${o.label}: ${o.detail}`);
  assert.deepEqual(await found("SELECT * FROM airports a JOIN flights f ON "),
    ["a.origin = f.origin: by names: a guess, many-to-many: repeats rows of both"]);
  const origin = names.columns;
  const columns = async (t: string) => [...await origin(t) ?? [], { name: "iata" }];
  assert.deepEqual(await found("SELECT * FROM flights f JOIN airports a ON ", { columns }), [
    "f.origin = a.iata: many-to-one",
    "f.dest = a.iata: by names: a guess, many-to-one",
    "f.iata = a.iata: by names: a guess, one-to-one",
    "f.origin = a.origin: by names: a guess, many-to-many: repeats rows of both",
  ]);
  const joins = async () => [
    { table: "late", column: "origin", to: "flights", to_column: "origin", known_from: "names" },
    { table: "legs", column: "id", to: "flights", to_column: "id", multiplicity: "many-to-one", known_from: "model" },
  ];
  assert.deepEqual(await found("SELECT * FROM flights JOIN ", { joins }), [
    "legs ON flights.id = legs.id: one-to-many", "flights: table", "my table: table",
    "late ON flights.origin = late.origin: by names: a guess, many-to-many: repeats rows of both",
  ]);
  const pairs = async () => [{ table: "lines", column: "order", to: "flights", to_column: "id",
    more: [{ column: "my no", to_column: "no" }], multiplicity: "many-to-one", known_from: "foreign key" }];
  assert.equal((await found("SELECT * FROM flights f JOIN ", { joins: pairs }))[0],
    'lines ON f.id = lines."order" AND f."no" = lines."my no": one-to-many');
  assert.deepEqual(await found("SELECT * FROM flights f JOIN lines l ON ", { joins: pairs, columns: async () => [] }),
    ['f.id = l."order" AND f."no" = l."my no": one-to-many']);
  assert.ok((await found("SELECT * FROM flights JOIN ", { repeats: async () => undefined }))[0]!.includes("not counted"));
});

test("what an error is about is found in the statement", () => {
  const error = (message: string, details = {}) => new Failure(400, "query_failed", message, "", "", [], details);
  assert.deepEqual(mistakeIn("SELECT nme FROM t", error('column "nme" not found')), { from: 7, to: 10 });
  assert.deepEqual(mistakeIn("SELECT a FROM tt", error("unknown", { table_id: "tt" })), { from: 14, to: 16 });
  assert.deepEqual(mistakeIn("SELECT ä FRM t", error("syntax", { position: 10 })), { from: 9, to: 12 });
  assert.equal(mistakeIn("SELECT 1", error("something else")), undefined);
});

test("a link makes a sheet of its own", () => {
  const mine = newSheet("SELECT $a", "here"),
    theirs = fromLink(JSON.stringify({ ...mine, name: "n", values: { a: 1 } }))!;
  assert.deepEqual([theirs.name, theirs.where, theirs.values.a, theirs.cells[0]!.sql], ["n", "here", "1", "SELECT $a"]);
  assert.ok(theirs.id !== mine.id && theirs.cells[0]!.id !== mine.cells[0]!.id);
});

test("what is no sheet is none", () => {
  for (const text of [null, "", "{}", '{"id":"x","cells":[]}', '{"id":"x","cells":[{"sql":1}]}', "[1"])
    assert.equal(read(text), undefined);
  assert.equal(titleOf(newSheet('SELECT 1 FROM "flights"')), "flights");
});

test("a parameter is compared with columns of the tables that may have them", () => {
  assert.deepEqual(comparedWith(["SELECT 1 FROM flights f JOIN airports a ON a.iata = f.origin WHERE f.origin = $o"], "o"),
    [{ table: "flights", column: "origin" }]);
  assert.deepEqual(comparedWith(["SELECT 1 FROM a, b WHERE x = $o AND y > $p", "SELECT $p"], "o").map(c => c.table),
    ["a", "b"]);
  assert.deepEqual(comparedWith(["SELECT '= $o' FROM a"], "o"), []);
});

test("a link keeps words, titles and charts of a sheet", () => {
  const look = { view: "chart", chart: { kind: "bar", x: "a", y: "n", by: "", how: "mean" } };
  const s = fromLink(JSON.stringify({ id: "x", cells: [{ text: "**hi**", sql: "" }, { sql: "SELECT 1", look, wide: 1,
    title: "T" }, { sql: "SELECT 2", look: { view: "<b>" } }] }))!;
  assert.deepEqual(s.cells.map(c => c.text), ["**hi**", undefined, undefined]);
  assert.deepEqual([s.cells[1]!.look, s.cells[1]!.wide, s.cells[1]!.title, s.cells[2]!.look], [look, true, "T", undefined]);
});

test("what came of a run is told in one line", () => {
  const at = new Date(2024, 0, 2, 3, 4).getTime();
  assert.equal(cameOf({ at, rows: 2000, more: true, ms: 2140 }), "2\u00a0Jan\u00a02024 03:04 · the first 2,000 rows · 2.1 s");
  assert.equal(cameOf({ at, rows: 1, ms: 90 }), "2\u00a0Jan\u00a02024 03:04 · 1 row · 90 ms");
  assert.equal(cameOf({ at, ms: 5, error: "no such table" }), "2\u00a0Jan\u00a02024 03:04 · no such table · 5 ms");
  assert.equal(cameOf({}), "");
});

test("a run is told from others by its statement and values", () => {
  assert.equal(keyOf({ sql: "a", values: { x: "1", y: "2" } }), keyOf({ sql: "a", values: { y: "2", x: "1" } }));
  assert.equal(keyOf({ sql: "a" }), keyOf({ sql: "a", values: {} }));
  assert.ok(keyOf({ sql: "a", values: { x: "1" } }) !== keyOf({ sql: "a", values: { x: "2" } }));
  assert.equal(valuesOf({ sql: "a", values: { x: "1", y: "b" } }), "$x = 1, $y = b");
});

test("what is inserted has spaces around it where it needs them", () => {
  assert.deepEqual([spaced("", "a", ""), spaced("FROM", "a", ""), spaced("count(", "a", ")"), spaced("x ", "a", "b")],
    ["a", " a", "a", "a "]);
});
