// Runs one task with an engine from npm: node peers.mjs ENGINE TASK FILE DATABASE
import { existsSync, rmSync } from "node:fs";

const [engine, task, file, database] = process.argv.slice(2);

async function duckdb() {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const onTable = ["load", "summarize", "group-table"].includes(task);
  if (task === "load" && existsSync(database)) rmSync(database);
  const c = await (await DuckDBInstance.create(onTable ? database : ":memory:")).connect();
  const csv = `read_csv('${file}')`;
  const group = (from) => `SELECT status, count(*), sum(amount) FROM ${from} GROUP BY status ORDER BY status`;
  const sql = {
    map: `SELECT count(*) FROM ${csv}`,
    load: `CREATE TABLE data AS SELECT * FROM ${csv}`,
    summarize: "SUMMARIZE data",
    stats: `SUMMARIZE SELECT * FROM ${csv}`,
    group: group(csv),
    "group-table": group("data"),
    tail: `SELECT * FROM ${csv} OFFSET (SELECT count(*) - 20 FROM ${csv})`,
  }[task];
  const reader = await c.runAndReadAll(sql);
  console.log(reader.getRows().length);
}

async function polars() {
  const pl = (await import("nodejs-polars")).default;
  const read = () => pl.readCSV(file, { tryParseDates: task !== "stats", inferSchemaLength: task === "map" ? null : 1000 });
  const result = {
    map: () => read().schema,
    stats: () => read().describe(),
    group: () => pl.scanCSV(file).groupBy("status").agg(pl.col("amount").sum(), pl.col("id").count()).collectSync(),
    tail: () => pl.scanCSV(file).tail(20).collectSync(),
  }[task]();
  console.log(String(result).length);
}

await (engine === "duckdb" ? duckdb() : polars());
