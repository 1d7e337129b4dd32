// Statements that this browser keeps: what was run lately, and what was saved.
import { plural, time } from "../format";

export interface Saved extends Came { sql: string; kept: boolean }

/** What came of a run: when it began, how many rows of how many, how long it took, what went wrong. */
export interface Came { at?: number; rows?: number; more?: boolean; ms?: number; error?: string }

/** The same in words; "" for a statement that was saved before it ran. */
export const cameOf = ({ at, rows, more, ms, error }: Came) =>
  !at ? "" : [time(new Date(at).toISOString()), error ?? (rows === undefined ? "" : (more ? "the first " : "") +
    plural(rows, "row", "rows")), ms === undefined ? "" : ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`]
    .filter(Boolean).join(" · ");

const most = 200;
const read = (): Saved[] => {
  try {
    const list: unknown = JSON.parse(localStorage.getItem("da.sql") ?? "[]");
    return Array.isArray(list) ? list.filter((s): s is Saved => typeof s?.sql === "string") : [];
  } catch { return []; }
};
const write = (list: Saved[]) => {
  const kept = list.filter(s => s.kept), recent = list.filter(s => !s.kept).slice(0, most);
  const all = [...kept, ...recent];
  try { localStorage.setItem("da.sql", JSON.stringify(all)); } catch { /* full: the list lives as long as the page */ }
  return all;
};

export const saved = {
  list: read,
  ran: (sql: string, came: Came) => {
    const old = read().find(s => s.sql === sql);
    return write([{ sql, kept: old?.kept ?? false, ...came }, ...read().filter(s => s.sql !== sql)]);
  },
  keep: (sql: string) => sql ? write([{ ...read().find(s => s.sql === sql), sql, kept: true },
    ...read().filter(s => s.sql !== sql)]) : read(),
  /** It is a recent one again. */
  release: (sql: string) => write(read().map(s => s.sql === sql ? { ...s, kept: false } : s)),
  put: write,
  forget: (sql: string) => write(read().filter(s => s.sql !== sql)),
};
