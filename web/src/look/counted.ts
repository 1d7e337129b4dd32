// Figures of a table as one statement, which nobody has to write.
import { quoted } from "../sql/text";
import { isNumber, isTime } from "../values";
import type { Column, Schema } from "../types";

export const hows = ["count", "sum", "mean", "median", "min", "max", "distinct"] as const;
export const grains = ["year", "quarter", "month", "week", "day", "hour"] as const;

/** One figure; of: its column, "" for a count of rows. */
export interface Figure { how: typeof hows[number]; of: string }
/** What rows are grouped by; grain: of a time, "" for its values. */
export interface By { column: string; grain: string }

/** The figures that a column can have there; not every engine knows a median. */
export const howsOf = (c: Column | undefined, s: Schema): readonly Figure["how"][] =>
  !c ? ["count"] : isNumber(c.type) ? hows.filter(h => h !== "count" &&
    (h !== "median" || /duckdb|clickhouse|spark/.test(s.sql_flavor)))
    : isTime(c) ? ["min", "max", "distinct"] : ["distinct"];

const functions: Record<Figure["how"], (of: string) => string> = {
  count: () => "count(*)", sum: c => `sum(${c})`, mean: c => `avg(${c})`, median: c => `median(${c})`,
  min: c => `min(${c})`, max: c => `max(${c})`, distinct: c => `count(DISTINCT ${c})`,
};

/** A time cut to a grain, in the words of an engine. */
function cut(c: Column, grain: string, name: string, flavor: string): string {
  if (flavor === "bigquery") return `${c.type.toUpperCase()}_TRUNC(${name}, ${grain.toUpperCase()})`;
  if (/mysql/.test(flavor)) {
    const formats: Record<string, string> = { year: "%Y", month: "%Y-%m", day: "%Y-%m-%d", hour: "%Y-%m-%d %H:00" };
    return grain in formats ? `DATE_FORMAT(${name}, '${formats[grain]}')`
      : grain === "week" ? `YEARWEEK(${name}, 3)` : `CONCAT(YEAR(${name}), '-Q', QUARTER(${name}))`;
  }
  return `date_trunc('${grain}', ${name})`;
}

/** The statement of some figures by some columns; the rows are in the order of time, or the highest come first. */
export function statementOf(s: Schema, figures: Figure[], by: By[], where: string): string {
  const quote = (name: string) => quoted(name, /mysql|bigquery/.test(s.sql_flavor));
  const column = (name: string) => s.columns.find(c => c.name === name)!;
  const groups = by.map(b => b.grain
    ? `${cut(column(b.column), b.grain, quote(b.column), s.sql_flavor)} AS ${quote(b.grain)}` : quote(b.column));
  const named = figures.map(f => `${functions[f.how](quote(f.of))} AS ${
    quote(f.how === "count" ? "n" : `${f.how}_${f.of}`)}`);
  const timed = by.findIndex(b => b.grain || isTime(column(b.column)));
  return [`SELECT ${[...groups, ...named].join(", ")}`, `FROM ${quote(s.table_id)}`,
    ...(where.trim() ? [`WHERE ${where.trim()}`] : []),
    ...(by.length ? [`GROUP BY ${by.map((_, i) => i + 1).join(", ")}`,
      timed >= 0 ? `ORDER BY ${timed + 1}` : `ORDER BY ${by.length + 1} DESC`] : [])].join("\n");
}
