// What a statement is made of, as far as the worksheet must know.
import { Failure } from "../api";
import { isNumber } from "../values";
import { sql as T } from "../texts/en/sql";
import { say } from "../texts/say";

export type Kind = "comment" | "text" | "name" | "cell" | "parameter" | "word" | "number" | "mark";
export interface Piece { kind: Kind; text: string; from: number; to: number }

const kinds: [Kind, string][] = [
  ["comment", String.raw`--[^\n]*|/\*[\s\S]*?(?:\*/|$)`],
  ["text", String.raw`'(?:[^']|'')*(?:'|$)|\$\$[\s\S]*?(?:\$\$|$)`],
  ["name", '"(?:[^"]|"")*(?:"|$)|`[^`]*(?:`|$)'],
  ["cell", String.raw`@[\p{L}_][\p{L}\p{N}_]*`],
  ["parameter", String.raw`\$[A-Za-z_][A-Za-z0-9_]*`],
  ["word", String.raw`[\p{L}_][\p{L}\p{N}_]*`],
  ["number", String.raw`\d[\d.]*`],
  ["mark", String.raw`\S`],
];
const any = new RegExp(kinds.map(([, p]) => `(${p})`).join("|"), "gu");

export function pieces(sql: string): Piece[] {
  return [...sql.matchAll(any)].map(m => ({
    kind: kinds[m.slice(1).findIndex(g => g !== undefined)]![0], text: m[0], from: m.index, to: m.index + m[0].length,
  }));
}

// What a SELECT is made of: a statement here only reads.
export const keywords = (
  "SELECT,ALL,DISTINCT,FROM,WHERE,GROUP BY,HAVING,ORDER BY,LIMIT,OFFSET,JOIN,LEFT JOIN,FULL JOIN," +
  "CROSS JOIN,INNER JOIN,ON,USING,AS,AND,OR,NOT,IN,IS NULL,IS NOT NULL,BETWEEN,LIKE,ILIKE,EXISTS,CASE," +
  "WHEN,THEN,ELSE,END,CAST,WITH,UNION ALL,UNION,INTERSECT,EXCEPT,OVER,PARTITION BY,ASC,DESC,NULLS LAST," +
  "TRUE,FALSE,NULL,INTERVAL,VALUES,QUALIFY,FILTER").split(",");
// Words that must be quoted as names in some dialect.
const reserved = new Set((
  "all analyse analyze and anti any array as asc asof assert_rows_modified asymmetric at authorization between " +
  "binary both by case cast check collate collation column columns concurrently constraint contains create cross " +
  "cube current current_catalog current_date current_role current_schema current_time current_timestamp " +
  "current_user default deferrable define desc describe distinct do else end enum escape except exclude exists " +
  "extract false fetch filter following for foreign freeze from full generated glob grant group grouping groups " +
  "hash having if ignore ilike in initially inner intersect interval into is isnull join lambda last lateral " +
  "leading left like limit localtime localtimestamp lookup map merge natural new no not notnull null nulls of " +
  "offset on only or order outer over overlaps partition pivot pivot_longer pivot_wider placing positional " +
  "preceding primary proto qualify range recursive references respect returning right rollup rows select semi " +
  "session_user set show similar some struct summarize symmetric table tablesample then to trailing treat true " +
  "try_cast unbounded union unique unnest unpack unpivot user using values variadic verbose when where window with " +
  "within").split(" "));

/** A name as a statement has it. */
export function quoted(name: string, backticks: boolean): string {
  if (/^[a-z_][a-z0-9_]*$/i.test(name) && !reserved.has(name.toLowerCase())) return name;
  return backticks ? "`" + name.replaceAll("`", "``") + "`" : `"${name.replaceAll('"', '""')}"`;
}

/** A text that is inserted between two others, with spaces around it as needed. */
export const spaced = (before: string, text: string, after: string) =>
  (/(^|[\s.(,])$/.test(before) ? "" : " ") + text + (/^($|[\s),;.])/.test(after) ? "" : " ");

/** The name that a piece of a statement stands for. */
export function nameOf(p: Piece): string {
  if (p.kind !== "name") return p.text;
  const mark = p.text[0]!, inner = p.text.slice(1, p.text.length > 1 && p.text.endsWith(mark) ? -1 : undefined);
  return inner.replaceAll(mark + mark, mark);
}

const isName = (p: Piece | undefined): p is Piece =>
  !!p && (p.kind === "name" || p.kind === "word" || p.kind === "cell");
const is = (p: Piece | undefined, word: string) => p?.kind === "word" && p.text.toUpperCase() === word;

/** The tables that a statement names after FROM and JOIN, by the names that it calls them. */
export function tablesIn(sql: string): { table: string; alias: string }[] {
  const all = pieces(sql).filter(p => p.kind !== "comment"), found: { table: string; alias: string }[] = [];
  let depth = 0;
  const lists: number[] = []; // depths at which a comma is followed by a table
  all.forEach((p, i) => {
    if (p.text === "(") depth++;
    if (p.text === ")") depth--;
    while (lists.length && lists.at(-1)! > depth) lists.pop();
    if (is(p, "FROM")) lists.push(depth);
    else if (p.kind === "word" && /^(WHERE|GROUP|HAVING|ORDER|LIMIT|SELECT|UNION|QUALIFY)$/i.test(p.text) &&
      lists.at(-1) === depth)
    {
      lists.pop();
    }
    if (!(is(p, "FROM") || is(p, "JOIN") || p.text === "," && lists.at(-1) === depth)) return;
    let at = i + 1;
    if (!isName(all[at])) return;
    let table = nameOf(all[at]!);
    while (all[at + 1]?.text === "." && isName(all[at + 2])) {
      at += 2;
      table += "." + nameOf(all[at]!);
    }
    if (is(all[at + 1], "AS")) at++;
    const next = all[at + 1], own = isName(next) && !(next.kind === "word" && clause.test(next.text));
    found.push({ table, alias: own ? nameOf(next) : table.split(".").at(-1)!.replace("@", "") });
  });
  return found;
}

const clause = new RegExp(
  "^(" + [...reserved, "LEFT", "RIGHT", "NATURAL", "ASOF", "POSITIONAL", "WINDOW", "TABLESAMPLE"].join("|") + ")$",
  "i",
);

export interface Named { name: string; sql: string }

/** A statement with the cells and values that it names written into it. */
export interface Composed {
  sql: string;
  /** Why it cannot run: a parameter without a value, or with one that cannot be read. */ fault?: Failure | undefined;
  /** Where a place of it was written: in which cell, and where there. */
  origin: (at: number) => { cell: number; at: number };
}

/** What parameters stand for: their texts, the types of the columns that they are compared with, and the quoting. */
export interface Filling { values: Record<string, string>; types?: Record<string, string>; escapes?: boolean }

/** The statement of a cell without what ends it. */
export const bare = (sql: string) => sql.trim().replace(/[;\s]+$/, "");

const isText = (type: string) => /^(n?(var)?char|character|text|string|clob|enum)/i.test(type);
const number = /^-?\d+(\.\d+)?$/;

/** A value of a parameter: its text, and whether it is a number. */
export interface Meant { text: string; number: boolean }

/** What the text of a field means: a number is one, unless its column has texts; 'quotes' make a text of anything. */
export function valueOf(text: string, type = ""): Meant {
  if (number.test(text.trim()) && !isText(type)) return { text: text.trim(), number: true };
  return { text: /^'(.*)'$/s.exec(text)?.[1] ?? text, number: false };
}

/** A value of a list: what is written there, and where. */
interface Item { text: string; quoted: boolean; at: number }

const item = /\s*(?:'((?:[^']|'')*)'|"((?:[^"]|"")*)"|([^\s'",][^,]*))\s*(,|$)/y;

/** The values of a list such as SFO, 'Dulles, Va.', or where it cannot be read and why. */
function items(text: string): Item[] | { at: number; why: string } {
  const found: Item[] = [];
  for (item.lastIndex = 0;;) {
    const at = item.lastIndex + /^\s*/.exec(text.slice(item.lastIndex))![0].length, m = item.exec(text);
    if (!m) {
      const open = /^(?:'(?:[^']|'')*|"(?:[^"]|"")*)$/.test(text.slice(at));
      return { at, why: open ? T.quoteHasNoEnd
        : /^['"]/.test(text.slice(at)) ? T.afterQuoteCommaIs : T.valueIsMissing };
    }
    found.push({ at, quoted: m[3] === undefined,
      text: m[3]?.trim() ?? m[1]?.replaceAll("''", "'") ?? m[2]!.replaceAll('""', '"') });
    if (!m[4]) return found;
  }
}

const unreadable = (name: string, at: number, why: string, hint: string) => new Failure(400, "bad_request",
  say(T.cannotBeReadAt, { name, at: at + 1, why }), "unreadable_value", hint, [], { parameter: name, at });

/** What the text of a field means. Throws where its column has numbers, and it is none. */
export function oneOf(name: string, text: string, type = ""): Meant {
  const v = valueOf(text, type);
  if (isNumber(type) && isNaN(Number(v.text)) && !/^[-+]?(nan|inf(inity)?)$/i.test(v.text))
    throw unreadable(name, 0, say(T.isNoNumberAndColumn, { odd: v.text.slice(0, 60) }), T.writeNumber);
  return v;
}

/** The values of the field of a list: as the column is, or else numbers if all are. Throws where it cannot be read. */
export function listOf(name: string, text: string, type = ""): Meant[] {
  const all = items(text), bad = (at: number, why: string) => unreadable(name, at, why, T.writeValuesWithCommas);
  if (!Array.isArray(all)) throw bad(all.at, all.why);
  const odd = all.find(i => isNumber(type) && !number.test(i.text));
  if (odd) throw bad(odd.at, say(T.isNoNumberAndColumn, { odd: odd.text }));
  const numbers = isNumber(type) || !isText(type) && all.every(i => !i.quoted && number.test(i.text));
  return all.map(i => ({ text: i.text, number: numbers }));
}

/** A value as a statement has it. */
export function literal({ text, number }: Meant, escapes: boolean): string {
  if (number) return text;
  return escapes ? "'" + text.replaceAll("\\", "\\\\").replaceAll("'", "\\'") + "'"
    : "'" + text.replaceAll("'", "''") + "'";
}

/** Whether a piece is all that stands between the brackets of IN: it then stands for a list. */
const inList = (all: Piece[], at: number) =>
  is(all[at - 2], "IN") && all[at - 1]?.text === "(" && all[at + 1]?.text === ")";

/** Whether a parameter stands for a list, as in IN ($list). */
export const isList = (statements: string[], parameter: string) => statements.some(sql => {
  const all = pieces(sql).filter(p => p.kind !== "comment");
  return all.some((p, i) => p.text === "$" + parameter && inList(all, i));
});

/**
 * The statement of a cell: cells before it whose names it holds, as @name, come first as steps of it (WITH), and the
 * values of $parameters in their places. What is not the name of a cell stays: it may be a result that is kept.
 */
export function compose(cells: Named[], at: number, filling: Filling = { values: {} }): Composed {
  const { values, types = {}, escapes = false } = filling;
  let fault: Failure | undefined;
  /** What stands for a parameter; it stays if it has no value, or one that cannot be read. */
  const valued = (p: string, list: boolean) => {
    try {
      if (!values[p]) throw without(p);
      return (list ? listOf(p, values[p], types[p]) : [oneOf(p, values[p], types[p])])
        .map(v => literal(v, escapes)).join(", ");
    } catch (e) {
      fault ??= e as Failure;
      return undefined;
    }
  };
  const steps: number[] = [], seen = new Set<number>();
  const before = (name: string, of: number) => cells.findIndex((c, i) => i < of && c.name === name.slice(1));
  const visit = (of: number) => {
    for (const p of pieces(cells[of]!.sql)) {
      const i = p.kind === "cell" ? before(p.text, of) : -1;
      if (i < 0 || seen.has(i)) continue;
      seen.add(i);
      visit(i);
      steps.push(i);
    }
  };
  visit(at);
  let sql = "";
  const spans: { from: number; to: number; cell: number; at: number; whole: number }[] = [];
  /** Adds what a cell has between two places. */
  const add = (cell: number, from: number, to: number, instead?: string) => {
    const text = instead ?? cells[cell]!.sql.slice(from, to);
    spans.push({ from: sql.length, to: sql.length + text.length, cell, at: from, whole: to - from });
    sql += text;
  };
  const body = (cell: number, from = 0) => {
    const text = cells[cell]!.sql,
      end = from + bare(text.slice(from)).length + (/^\s*/.exec(text.slice(from))![0].length);
    let done = from;
    const all = pieces(text).filter(p => p.kind !== "comment");
    all.forEach((p, i) => {
      if (p.from < from || p.to > end) return;
      const step = p.kind === "cell" ? before(p.text, cell) : -1;
      const instead = step >= 0 ? p.text.slice(1)
        : p.kind === "parameter" ? valued(p.text.slice(1), inList(all, i)) : undefined;
      if (instead === undefined) return;
      add(cell, done, p.from);
      add(cell, p.from, p.to, instead);
      done = p.to;
    });
    add(cell, done, end);
  };
  const own = pieces(cells[at]!.sql).filter(p => p.kind !== "comment"), withs = is(own[0], "WITH"),
    recursive = withs && is(own[1], "RECURSIVE");
  if (steps.length) {
    sql += recursive ? "WITH RECURSIVE " : "WITH ";
    steps.forEach((i, n) => {
      sql += `${n ? ", " : ""}${cells[i]!.name} AS (`;
      body(i);
      sql += "\n)";
    });
    sql += withs ? ", " : "\n";
  }
  const start = /^\s*/.exec(cells[at]!.sql)![0].length;
  body(at, steps.length && withs ? own[recursive ? 1 : 0]!.to : start);
  return {
    sql, fault, origin: offset => {
      const s = spans.find(s => offset >= s.from && offset < s.to) ?? spans.at(-1)!;
      return { cell: s.cell, at: s.at + Math.max(0, Math.min(offset - s.from, s.whole)) };
    },
  };
}

/** The names of the parameters that statements have. */
export function parametersIn(statements: string[]): string[] {
  return [...new Set(statements.flatMap(s => pieces(s).filter(p => p.kind === "parameter").map(p => p.text.slice(1))))];
}

/** The columns that statements compare with a parameter, in each of the tables that they may be of. */
export function comparedWith(statements: string[], parameter: string): { table: string; column: string }[] {
  return statements.flatMap(sql => {
    const all = pieces(sql).filter(p => p.kind !== "comment");
    return all.flatMap((p, i) => {
      if (p.text !== "$" + parameter) return [];
      let at = i - 1;
      if (inList(all, i)) at -= is(all[i - 3], "NOT") ? 3 : 2;
      while (/^[=<>!]$/.test(all[at]?.text ?? "")) at--;
      if (at === i - 1 || !isName(all[at])) return [];
      const column = nameOf(all[at]!), of = all[at - 1]?.text === "." && isName(all[at - 2]) && nameOf(all[at - 2]!);
      return tablesIn(sql).filter(t => !of || t.alias === of).map(t => ({ table: t.table, column }));
    });
  });
}

const without = (parameter: string) =>
  new Failure(400, "bad_request", say(T.hasNoValue, { parameter }), "no_value",
    T.writeItIntoIts, [], { parameter });
