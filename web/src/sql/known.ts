// What the page has learned of tables: their columns, and values of columns that have few.
import { ask, get } from "../api";
import { useAsked } from "../use";
import type { KnownColumn } from "./complete";
import type { PageRows, PageSnapshot, PageTables, QueryPrice, Schema, Table } from "../types";

const mostValues = 300;
const mostRead = 50e6; // bytes that a look at values may read; what is billed is not looked at

let snapshots: PageSnapshot[] = [], tables: Table[] = [];
const columns = new Map<string, Promise<KnownColumn[] | undefined>>(),
  values = new Map<string, Promise<string[] | undefined>>();

/** Asks what there is now. */
export function useKnown(desk: boolean) {
  const s = useAsked(async signal => desk ? get<PageSnapshot[]>("/api/page/desk/snapshots", signal) : [], [desk]);
  const t = useAsked(signal => get<PageTables>("/api/page/tables?limit=2000", signal), []);
  [snapshots, tables] = [s.data ?? [], t.data?.tables ?? []];
  return { snapshots, tables, ready: !!t.data || !!t.error,
    /** Names are quoted by backticks. */
    backticks: tables.some(t => /mysql|bigquery/.test(t.sql_flavor)) };
}

function once<T>(all: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  let known = all.get(key);
  if (!known) {
    all.set(key, known = ask());
    known.catch(() => all.delete(key)); // the next one may come
  }
  return known;
}

/** The columns of a table or snapshot; undefined: there is no such thing. */
export async function columnsOf(name: string): Promise<KnownColumn[] | undefined> {
  const own = snapshots.find(s => s.name.toLowerCase() === name.toLowerCase()),
    table = tables.find(t => t.id.toLowerCase() === name.toLowerCase());
  if (!table && own) return own.columns.map(c => ({ name: c }));
  return table &&
    once(columns, table.id, async () => (await get<Schema>(`/api/v2/schema/${encodeURIComponent(table.id)}`)).columns);
}

/** The values of a column that has few, of a table that costs nothing to read. */
export function valuesOf(table: string, column: string): Promise<string[] | undefined> {
  const t = tables.find(t => t.id.toLowerCase() === table.toLowerCase());
  if (!t) return Promise.resolve(undefined);
  return once(values, t.id + "\0" + column, async () => {
    const quote = /mysql|bigquery/.test(t.sql_flavor) ? "`" : '"', q = (n: string) =>
      quote + n.replaceAll(quote, quote + quote) + quote;
    const sql = `SELECT DISTINCT ${q(column)} AS v FROM ${q(t.id)} WHERE ${q(column)} IS NOT NULL LIMIT ${
      mostValues + 1
    }`;
    const price = await ask<QueryPrice>("POST", "/api/page/price", { sql });
    if (price.estimated_scan_bytes == null || price.estimated_scan_bytes > mostRead || price.estimated_billed_bytes ||
      price.bq_cost_estimate_usd)
    {
      return undefined;
    }
    const rows = await ask<PageRows>("POST", "/api/page/query", { sql });
    return rows.shown > mostValues || rows.columns[0]?.numeric ? undefined : rows.rows.map(r => String(r[0])).sort();
  });
}
