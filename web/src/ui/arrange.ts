// Rows of a result in the order, and by the conditions, that somebody chose.
import { text } from "../format";
import type { PageColumn, PageRows, Value } from "../types";

export interface Order { at: number; down: boolean }

/** A condition on a column: one value, or numbers from one to another, which the last range holds, too. */
export type Condition = { at: number; is: Value } | { at: number; from: number; to: number; last: boolean };

/** The rows with all of the words and conditions, in the order that was asked for. */
export function arrange(result: PageRows, words: string, conditions: Condition[], order?: Order): Value[][] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  let rows = result.rows;
  if (conditions.length) rows = rows.filter(r => conditions.every(c => fits(r[c.at] ?? null, c)));
  if (wanted.length) {
    rows = rows.filter(r => {
      const all = r.map(text).join("\t").toLowerCase();
      return wanted.every(w => all.includes(w));
    });
  }
  if (!order) return rows;
  const { at, down } = order, numeric = result.columns[at]?.numeric ?? false;
  return [...rows].sort((a, b) => ordered(a[at] ?? null, b[at] ?? null, numeric, down));
}

function fits(v: Value, c: Condition): boolean {
  if ("is" in c) return v === null || c.is === null ? v === c.is : text(v) === text(c.is);
  if (v === null) return false;
  const n = Number(v);
  return n >= c.from && (c.last ? n <= c.to : n < c.to);
}

/** NULL is last in both directions. */
function ordered(a: Value, b: Value, numeric: boolean, down: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const c = compare(a, b, numeric);
  return down ? -c : c;
}

/** Values by their size; whole numbers of any length exactly. */
export function compare(a: Value, b: Value, numeric: boolean): number {
  if (numeric && !(typeof a === "string" && typeof b === "string" && /^-?\d+$/.test(a) && /^-?\d+$/.test(b)))
    return Number(a) - Number(b);
  const [x, y] = numeric ? [BigInt(a as string), BigInt(b as string)] : [text(a), text(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** A condition in words. */
export function told(c: Condition, columns: PageColumn[]): string {
  const name = columns[c.at]?.name ?? "";
  if ("is" in c) return c.is === null ? `${name} is NULL` : `${name} = ${c.is === "" ? "''" : text(c.is).slice(0, 40)}`;
  return `${c.from} ≤ ${name} ${c.last ? "≤" : "<"} ${c.to}`;
}
