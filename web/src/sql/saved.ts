// Statements that this browser keeps: what was run lately, and what was saved.
import { plural, time } from "../format";
import { sql as T } from "../texts/en/sql";
import { say } from "../texts/say";

/** A statement, with the values of its parameters. */
export interface Stated { sql: string; values?: Record<string, string> | undefined }

export interface Saved extends Came, Stated { kept: boolean }

/** What tells a statement with its values from others. */
export const keyOf = ({ sql, values = {} }: Stated) => JSON.stringify([sql, ...Object.entries(values).sort()]);

/** The values in words; "" where there are none. */
export const valuesOf = ({ values = {} }: Stated) => Object.entries(values).map(([k, v]) => `$${k} = ${v}`).join(", ");

/** What came of a run: when it began, how many rows of how many, how long it took, what went wrong. */
export interface Came { at?: number; rows?: number; more?: boolean; ms?: number; error?: string }

/** The same in words; "" for a statement that was saved before it ran. */
export const cameOf = ({ at, rows, more, ms, error }: Came) =>
  !at ? "" : [time(new Date(at).toISOString()), error ?? (rows === undefined ? "" : (more ? T.first : "") +
    plural(rows, T.nRows)), ms === undefined ? "" : ms < 1000 ? say(T.ms, { ms }) : `${(ms / 1000).toFixed(1)} s`]
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

const rest = (s: Stated) => read().filter(o => keyOf(o) !== keyOf(s));
const known = (s: Stated) => read().find(o => keyOf(o) === keyOf(s));

export const saved = {
  list: read,
  ran: (s: Stated, came: Came) => write([{ ...s, kept: known(s)?.kept ?? false, ...came }, ...rest(s)]),
  keep: (s: Stated) => s.sql ? write([{ ...known(s), ...s, kept: true }, ...rest(s)]) : read(),
  /** It is a recent one again. */
  release: (s: Stated) => write(read().map(o => keyOf(o) === keyOf(s) ? { ...o, kept: false } : o)),
  put: write,
  forget: (s: Stated) => write(rest(s)),
};
