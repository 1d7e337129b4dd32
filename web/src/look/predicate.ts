// Conditions on columns of a table, as the text of a predicate.
import { isNumber } from "../values";
import { quoted } from "../sql/text";
import type { Condition } from "../ui/arrange";
import type { Schema } from "../types";

/** A condition on a column of a table, as a predicate has it. */
export function condition(c: Condition, s: Schema): string {
  const of = s.columns[c.at]!, name = quoted(of.name, /mysql|bigquery/.test(s.sql_flavor));
  const value = (v: string) =>
    isNumber(of.type) ? v : (/^(date|timestamp)/i.exec(of.type)?.[0].toUpperCase().concat(" ") ?? "")
      + (/^bool/i.test(of.type) ? v : `'${v.replaceAll("'", "''")}'`);
  if (c.null) return `${name} IS NULL`;
  if (c.is !== undefined) return `${name} = ${value(c.is)}`;
  if (c.in) return `${name} IN (${c.in.map(value).join(", ")})`;
  return [c.from !== undefined && `${name} >= ${value(c.from)}`,
    c.to !== undefined && `${name} ${c.last ? "<=" : "<"} ${value(c.to)}`].filter(Boolean).join(" AND ");
}

/** What a predicate joins by AND; a text that is joined otherwise, or not surely understood, is one part. */
function parts(where: string): string[] {
  const text = where.trim(), all = [""], whole = [/\b(x?or|case)\b|--|\/\*|\\/i.test(text) ? `(${text})` : text];
  let depth = 0, between = false;
  for (const [t] of where.matchAll(/'[^']*'|"[^"]*"|`[^`]*`|[\p{L}\p{N}_$]+|--|\/\*|[^]/gu)) {
    const word = depth ? "" : t.toLowerCase();
    if (/^(or|xor|case|--|\/\*|\\)$/.test(word)) return whole;
    depth += t === "(" ? 1 : t === ")" ? -1 : 0;
    if (word === "and" && !between) all.push("");
    else all[all.length - 1] += t;
    between = word === "between" || between && word !== "and";
  }
  return depth ? whole : all.map(p => p.trim()).filter(Boolean);
}

/** The values that a part of a predicate, and nothing else, wants of a column; undefined if it is another part. */
function wanted(part: string, at: number, s: Schema): string[] | undefined {
  const { name } = s.columns[at]!;
  const own = [name, quoted(name, false), quoted(name, true), `"${name}"`].find(n =>
    part.startsWith(n) && /^[\s=]/.test(part.slice(n.length))
  );
  const rest = own === undefined ? "" : part.slice(own.length).trim();
  const value = String.raw`(?:(?:(?:date|timestamp)\s+)?'(?:[^']|'')*'|-?[\d.]+(?:e[-+]?\d+)?|true|false)`;
  if (/^is\s+null$/i.test(rest)) return [];
  if (!new RegExp(String.raw`^(?:=\s*${value}|in\s*\(\s*${value}(?:\s*,\s*${value})*\s*\))$`, "i").test(rest)) return;
  return [...rest.replace(/^(=|in\s*\()/i, "").matchAll(new RegExp(value, "gi"))].map(([v]) =>
    v.endsWith("'") ? v.slice(v.indexOf("'") + 1, -1).replaceAll("''", "'") : v
  );
}

/** Whether a part of a predicate is one end of a range of a column. */
const isEnd = (part: string, at: number, s: Schema) => /[<>]=?/.test(part) &&
  !!wanted(part.replace(/\s*[<>]=?\s*/, " = "), at, s)?.length;

/** The values of a column that a predicate names. */
export const valuesIn = (where: string, at: number, s: Schema) => parts(where).flatMap(p => wanted(p, at, s) ?? []);

/** A predicate with a condition that takes the place of those on values of that column, or on its range. */
export const withValues = (where: string, c: Condition, s: Schema) => {
  const old = c.from || c.to ? isEnd : wanted;
  return [...parts(where).filter(p => !old(p, c.at, s)), condition(c, s)].join(" AND ");
};

/** A predicate without its conditions on values of a column. */
export const withoutValues = (where: string, at: number, s: Schema) =>
  parts(where).filter(p => !wanted(p, at, s)).join(" AND ");
