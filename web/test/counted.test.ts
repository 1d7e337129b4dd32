import assert from "node:assert/strict";
import test from "node:test";
import { howsOf, statementOf } from "../src/look/counted";
import type { Schema } from "../src/types";

const table = (sql_flavor: string): Schema => ({ table_id: "late flights", source_type: "lake", sql_flavor, columns: [
  { name: "late", type: "TIMESTAMP", nullable: true }, { name: "delay", type: "INTEGER", nullable: true },
  { name: "from", type: "VARCHAR", nullable: true }], partition_by: [], clustered_by: [], row_count: null,
  size_bytes: null });

test("figures are one statement, in the words of the engine", () => {
  const figures = [{ how: "mean" as const, of: "delay" }, { how: "count" as const, of: "" }];
  assert.equal(statementOf(table("duckdb"), figures, [{ column: "late", grain: "month" }], ""),
    'SELECT date_trunc(\'month\', late) AS month, avg(delay) AS mean_delay, count(*) AS n\nFROM "late flights"\nGROUP BY 1\nORDER BY 1');
  assert.equal(statementOf(table("bigquery"), figures.slice(1), [{ column: "late", grain: "week" }], " delay > 1 "),
    "SELECT TIMESTAMP_TRUNC(late, WEEK) AS week, count(*) AS n\nFROM `late flights`\nWHERE delay > 1\nGROUP BY 1\nORDER BY 1");
  assert.equal(statementOf(table("mysql"), figures.slice(1), [{ column: "late", grain: "quarter" }], ""),
    "SELECT CONCAT(YEAR(late), '-Q', QUARTER(late)) AS quarter, count(*) AS n\nFROM `late flights`\nGROUP BY 1\nORDER BY 1");
  assert.equal(statementOf(table("postgres"), figures, [{ column: "from", grain: "" }], ""),
    'SELECT "from", avg(delay) AS mean_delay, count(*) AS n\nFROM "late flights"\nGROUP BY 1\nORDER BY 2 DESC');
  assert.equal(statementOf(table("duckdb"), figures.slice(1), [], ""), 'SELECT count(*) AS n\nFROM "late flights"');
});

test("a column has the figures that its engine can tell of it", () => {
  const [at, delay, from] = table("duckdb").columns;
  assert.ok(howsOf(delay, table("duckdb")).includes("median") && !howsOf(delay, table("postgres")).includes("median"));
  assert.deepEqual([howsOf(from, table("duckdb")), howsOf(at, table("duckdb")), howsOf(undefined, table("duckdb"))],
    [["distinct"], ["min", "max", "distinct"], ["count"]]);
});
