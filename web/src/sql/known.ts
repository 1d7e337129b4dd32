// What the page has learned of tables: their columns, and values of columns that have few.
import { ask, get } from "../api";
import { useAsked } from "../use";
import type { Join, KnownColumn } from "./complete";
import type { PageRows, PageSnapshot, PageTables, QueryPrice, Schema, Table } from "../types";

const mostValues = 300;
const mostRead = 50e6; // bytes that a look at values may read; what is billed is not looked at
const longest = 1500; // ms that a proposal waits for what is counted

let snapshots: PageSnapshot[] = [], tables: Table[] = [], more = false; // tables that are not here
const joins = new Map<string, Promise<Join[]>>(), found = new Map<string, Promise<Table[]>>(),
  columns = new Map<string, Promise<KnownColumn[] | undefined>>(),
  values = new Map<string, Promise<string[] | undefined>>(), repeats = new Map<string, Promise<boolean | undefined>>();

/** Asks what there is now. */
export function useKnown(desk: boolean) {
  const s = useAsked(async signal => desk ? get<PageSnapshot[]>("/api/page/desk/snapshots", signal) : [], [desk]);
  const t = useAsked(signal => get<PageTables>("/api/page/tables?limit=2000", signal), []);
  [snapshots, tables, more] = [s.data ?? [], t.data?.tables ?? [], !!t.data && t.data.all > t.data.tables.length];
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

/** The tables whose names could be meant; many: there are more than are known here. */
export async function tablesLike(words: string): Promise<{ tables: Table[]; many: boolean }> {
  if (!more || words.length < 2) return { tables, many: more };
  const like = await once(found, words.toLowerCase(), async () =>
    (await get<PageTables>(`/api/page/tables?${new URLSearchParams({ q: words.slice(0, 200), limit: "50" })}`)).tables);
  return { tables: [...tables, ...like.filter(t => !tables.some(o => o.id === t.id))], many: true };
}

async function tableOf(name: string): Promise<Table | undefined> {
  const is = (t: Table) => t.id.toLowerCase() === name.toLowerCase();
  return tables.find(is) ?? (more ? (await tablesLike(name)).tables.find(is) : undefined);
}

/** The columns of a table or snapshot; undefined: there is no such thing. */
export async function columnsOf(name: string): Promise<KnownColumn[] | undefined> {
  const own = snapshots.find(s => s.name.toLowerCase() === name.toLowerCase()), table = await tableOf(name);
  if (!table && own) return own.columns.map(c => ({ name: c }));
  return table &&
    once(columns, table.id, async () => (await get<Schema>(`/api/v2/schema/${encodeURIComponent(table.id)}`)).columns);
}

/** What a table is known to join with. */
export async function joinsOf(name: string): Promise<Join[]> {
  const t = await tableOf(name), path = t && `/api/page/tables/${encodeURIComponent(t.id)}/joins`;
  return path ? once(joins, path, async () => (await get<{ joins: Join[] }>(path)).joins) : [];
}

/** What a statement over one table gives, where looking costs nothing. */
async function look(t: Table, make: (quote: (name: string) => string) => string): Promise<PageRows | undefined> {
  const sql = make(name => quoteAll(name, /mysql|bigquery/.test(t.sql_flavor) ? "`" : '"'));
  const price = await ask<QueryPrice>("POST", "/api/page/price", { sql });
  return price.estimated_scan_bytes == null || price.estimated_scan_bytes > mostRead || price.estimated_billed_bytes ||
      price.bq_cost_estimate_usd ? undefined : ask<PageRows>("POST", "/api/page/query", { sql });
}

const quoteAll = (name: string, quote: string) => quote + name.replaceAll(quote, quote + quote) + quote;

/** The values of a column that has few, of a table that costs nothing to read. */
export async function valuesOf(table: string, column: string): Promise<string[] | undefined> {
  const t = await tableOf(table);
  return t && once(values, t.id + "\0" + column, async () => {
    const rows = await look(t, q =>
      `SELECT DISTINCT ${q(column)} AS v FROM ${q(t.id)} WHERE ${q(column)} IS NOT NULL LIMIT ${mostValues + 1}`);
    return !rows || rows.shown > mostValues || rows.columns[0]?.numeric ? undefined
      : rows.rows.map(r => String(r[0])).sort();
  });
}

/** Whether rows share values of a column; undefined: not known soon, or it costs. */
export async function repeatsOf(table: string, column: string): Promise<boolean | undefined> {
  const t = await tableOf(table), own = snapshots.find(s => s.name.toLowerCase() === table.toLowerCase());
  const count = (q: (name: string) => string) =>
    `SELECT count(${q(column)}) AS n, count(DISTINCT ${q(column)}) AS d FROM ${q(t?.id ?? own!.name)}`;
  const known = (t || own) && once(repeats, (t?.id ?? own!.name) + "\0" + column, async () => {
    const sql = count(n => quoteAll(n, '"'));
    const r = (t ? await look(t, count) : await ask<PageRows>("POST", "/api/page/desk/query", { sql }))?.rows[0];
    return r && Number(r[0]) !== Number(r[1]);
  });
  return Promise.race([known?.catch(() => undefined), new Promise<undefined>(r => setTimeout(r, longest))]);
}
