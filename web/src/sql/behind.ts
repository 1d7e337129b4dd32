// From a figure of a grouped statement to the rows of the table that it is made of.
import { get } from "../api";
import { periodAfter } from "../chart/choice";
import { withValues } from "../look/predicate";
import { link } from "../route";
import { nameOf, pieces, type Piece } from "./text";
import type { Condition } from "../ui/arrange";
import type { PageColumn, Schema } from "../types";

/** A statement that groups the rows of one table; of: its columns, by what the result calls them. */
interface Grouped { table: string; where: string; of: Map<string, { column: string; each?: string }> }

/** What a statement groups; undefined: it does not, or reads more than one table. */
export function groupedBy(sql: string): Grouped | undefined {
  const all = pieces(sql).filter(p => p.kind !== "comment"), at = new Map<string, number>();
  const items: Piece[][] = [[]];
  let depth = 0;
  for (const [i, p] of all.entries()) {
    depth += p.text === "(" ? 1 : p.text === ")" ? -1 : 0;
    const word = p.kind === "word" ? p.text.toUpperCase() : "";
    if (i && /^(SELECT|JOIN|UNION|EXCEPT|INTERSECT)$/.test(word)) return undefined;
    if (!depth && /^(SELECT|FROM|WHERE|GROUP|HAVING|ORDER|LIMIT|QUALIFY)$/.test(word)) at.set(word, i);
    else if (at.size === 1 && !depth && p.text === ",") items.push([]);
    else if (at.size === 1) items.at(-1)!.push(p);
  }
  const from = at.get("FROM") ?? 0, where = at.get("WHERE"), group = at.get("GROUP") ?? 0, table = all[from + 1];
  if (at.get("SELECT") !== 0 || !from || !group || !table || (where ?? group) !== from + 2) return undefined;
  const of: Grouped["of"] = new Map();
  for (const item of items) {
    const [cut, , each, , column] = item;
    if (item.length === 1 && /name|word/.test(cut!.kind)) of.set(nameOf(cut!), { column: nameOf(cut!) });
    else if (/^date_trunc$/i.test(cut?.text ?? "") && item.length === 8 && item[5]!.text === ")")
      of.set(nameOf(item[7]!), { column: nameOf(column!), each: each!.text.slice(1, -1).toLowerCase() });
  }
  return { table: nameOf(table), where: where ? sql.slice(all[where]!.to, all[group]!.from).trim() : "", of };
}

/** The address of the rows behind figures that conditions leave; undefined: it is not known. */
export async function rowsBehind(sql: string, where: Condition[], columns: PageColumn[], signal: AbortSignal) {
  const grouped = groupedBy(sql), of = (c: Condition) => grouped?.of.get(columns[c.at]!.name);
  if (!grouped || !where.every(c => of(c) && c.has === undefined && !(of(c)!.each && c.is === undefined)))
    return undefined;
  const s = await get<Schema>(`/api/v2/schema/${encodeURIComponent(grouped.table)}`, signal);
  return link(["tables", grouped.table, "part"], { where: where.reduce((text, c) => {
    const { column, each } = of(c)!, at = s.columns.findIndex(k => k.name === column);
    const to = each && periodAfter(c.is!, each), day = /^date$/i.test(s.columns[at]?.type ?? "") ? 10 : undefined;
    return withValues(text, to ? { at, from: c.is!.slice(0, day), to: to.slice(0, day) } : { ...c, at }, s);
  }, grouped.where) });
}
