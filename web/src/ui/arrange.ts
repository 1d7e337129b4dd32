// Rows of a result in the order, and by the conditions, that somebody chose.
import { text } from "../values";
import type { PageColumn, PageRows, Value } from "../types";
import { ui as T } from "../texts/en/ui";
import { say } from "../texts/say";

export interface Order { at: number; down: boolean }

/** A condition on a column, its values as text; api.ResultCondition in Go. */
export interface Condition { at: number; null?: true; is?: string; in?: string[]; has?: string; from?: string;
  to?: string;
  /** The end of the range is in it. */
  last?: boolean }

/** Rows of a result in an order; api.ResultPart in Go. */
export interface Part { words: string; where: Condition[]; order?: Order }

/** The rows with all of the words and conditions, in the order that was asked for. */
export function arrange(result: PageRows, { words, where, order }: Part): Value[][] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  let rows = result.rows;
  if (where.length) {
    rows = rows.filter(r => where.every(c => fits(r[c.at] ?? null, c, result.columns[c.at]?.numeric ?? false)));
  }
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

function fits(v: Value, c: Condition, numeric: boolean): boolean {
  if (c.null || v === null) return !!c.null && v === null;
  const t = text(v);
  if (c.is !== undefined && (numeric ? Number(t) !== Number(c.is) && t !== c.is : t !== c.is)) return false;
  if (c.in && !c.in.some(is => fits(v, { at: c.at, is }, numeric))) return false;
  if (c.has !== undefined && !t.toLowerCase().includes(c.has.toLowerCase())) return false;
  if (c.from !== undefined && compare(v, c.from, numeric) < 0) return false;
  if (c.to === undefined) return true;
  const end = compare(v, c.to, numeric);
  return c.last ? end <= 0 : end < 0;
}

/** NULL is last in both directions. */
function ordered(a: Value, b: Value, numeric: boolean, down: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const c = compare(a, b, numeric);
  return down ? -c : c;
}

/** Values by their size; whole numbers of any length exactly. */
export function compare(a: Value, b: Value, numeric: boolean): number {
  const whole = (v: Value) => /^-?\d+$/.test(text(v));
  if (numeric && !(whole(a) && whole(b))) return Number(a) - Number(b);
  const [x, y] = numeric ? [BigInt(text(a)), BigInt(text(b))] : [text(a), text(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

const namesValues = (c: Condition) => !!c.null || c.is !== undefined || !!c.in;

/** Conditions with more: what names values of a column takes the place of what did, as no row has two of them. */
export const narrowed = (where: Condition[], more: Condition[], columns: PageColumn[]) =>
  more.reduce((all, c) => [...all.filter(o =>
    o.at !== c.at || !(namesValues(o) && namesValues(c)) && told(o, columns) !== told(c, columns)), c], where);

/** The values of a column that conditions name. */
export const namedValues = (where: Condition[], at: number) =>
  where.filter(c => c.at === at).flatMap(c => c.in ?? (c.is !== undefined ? [c.is] : []));

/** A condition in words. */
export function told(c: Condition, columns: PageColumn[]): string {
  const name = columns[c.at]?.name ?? "";
  if (c.null) return say(T.isNULL, { name });
  const short = (v: string) => v === "" ? "''" : v.slice(0, 40);
  if (c.is !== undefined) return `${name} = ${short(c.is)}`;
  if (c.in) return `${name} = ${c.in.map(short).join(T.or)}`;
  if (c.has !== undefined) return say(T.contains, { name, has: c.has.slice(0, 40) });
  return [c.from !== undefined && `${c.from} ≤ `, name, c.to !== undefined && ` ${c.last ? "≤" : "<"} ${c.to}`]
    .filter(Boolean).join("");
}

type OfName<T> = Omit<T, "at"> & { of: string };
/** A part by the names of its columns: it outlives the result. */
export interface NamedPart { words?: string; where?: OfName<Condition>[]; order?: OfName<Order> }

export function namedPart({ words, where, order }: Part, columns: PageColumn[]): NamedPart | undefined {
  const named = <T extends { at: number }>({ at, ...rest }: T) => ({ ...rest, of: columns[at]!.name });
  return !words && !where.length && !order ? undefined
    : { ...(words ? { words } : {}), ...(where.length ? { where: where.map(named) } : {}),
      ...(order ? { order: named(order) } : {}) };
}

/** The part of a result that has these columns, without what is of others; a link may say anything. */
export function placedPart(n: NamedPart | undefined, columns: PageColumn[]): Part {
  const at = (c: { of: string }) => columns.findIndex(k => k.name === c?.of);
  const text = (v: unknown) => typeof v === "string";
  const fits = (c: OfName<Condition>) => at(c) >= 0 && (c.null === true || Array.isArray(c.in) && c.in.every(text) ||
    [c.is, c.has, c.from, c.to].some(text) && [c.is, c.has, c.from, c.to].every(v => v === undefined || text(v)));
  const where = Array.isArray(n?.where) ? n.where.filter(fits) : [], order = n?.order;
  return { words: text(n?.words) ? n!.words! : "",
    where: where.map(c => ({ at: at(c), ...(c.null ? { null: true as const } : pick(c)) })),
    ...(order && at(order) >= 0 ? { order: { at: at(order), down: !!order.down } } : {}) };
}

const pick = ({ is, in: some, has, from, to, last }: Omit<Condition, "at">): Omit<Condition, "at"> =>
  ({ ...(is !== undefined ? { is } : {}), ...(has !== undefined ? { has } : {}),
    ...(some ? { in: some } : {}),
    ...(from !== undefined ? { from } : {}), ...(to !== undefined ? { to } : {}), ...(last ? { last } : {}) });
