// What may follow where somebody types in a statement.
import { keywords, nameOf, pieces, quoted, tablesIn, type Piece } from "./text";
import { sql as T } from "../texts/en/sql";

export interface KnownColumn { name: string; type?: string }

export interface ColumnPair { column: string; to_column: string }
/** By which columns two tables are joined; api.Join in Go. */
export interface Join extends ColumnPair { table: string; to: string; more?: ColumnPair[]; multiplicity?: string;
  known_from: string }
export const pairsOf = (j: Join): ColumnPair[] => [j, ...j.more ?? []];

/** What there is to be named. */
export interface Names {
  /** Tables, snapshots and cells, with what they are; many: others fit other words. */
  tables: (words: string) => Promise<{ all: { name: string; detail: string }[]; many: boolean }>;
  columns: (table: string) => Promise<KnownColumn[] | undefined>;
  /** The values of a column that has few; undefined if that is not known, or costs. */
  values: (table: string, column: string) => Promise<string[] | undefined>;
  /** What a table is known to join with; all with which it does, whichever way round. */
  joins: (table: string) => Promise<Join[]>;
  /** Whether rows share values of a column; undefined: it is not known. */
  repeats: (table: string, column: string) => Promise<boolean | undefined>;
  /** Names are quoted by backticks, not by double quotes. */
  backticks: () => boolean;
}

export interface Option { label: string; apply?: string; type: string; detail?: string; boost?: number }
export interface Options { from: number; options: Option[]; /** Only of what is typed now. */ now?: boolean }

const functions = ("abs(x),avg(x),ceil(x),coalesce(a, b, …),concat(a, b, …),count(*),count(DISTINCT x)," +
  "current_date,date_diff('day', from, to),date_part('year', t),date_trunc('month', t),extract(YEAR FROM t),floor(x)," +
  "greatest(a, b, …),lag(x) OVER (ORDER BY y),lead(x) OVER (ORDER BY y),least(a, b, …),left(text, n),length(text)," +
  "lower(text),max(x),median(x),min(x),mode(x),nullif(a, b),quantile_cont(x, 0.9),rank() OVER (ORDER BY x)," +
  "regexp_extract(text, pattern),regexp_matches(text, pattern),replace(text, from, to),right(text, n)," +
  "round(x, digits),row_number() OVER (ORDER BY x),split_part(text, by, n),stddev(x),strftime(t, '%Y-%m')," +
  "string_agg(x, ', '),substring(text, from, n),sum(x),trim(text),try_cast(x AS DOUBLE),upper(text)")
  .split(/,(?=[a-z_]+(?:\(|,|$))/);

const mostTables = 12; // whose columns are proposed where no table is named

const isWord = (p: Piece | undefined, ...words: string[]) => p?.kind === "word" && words.includes(p.text.toUpperCase());
const isName = (p: Piece | undefined) => p?.kind === "word" || p?.kind === "name";
const clauses = ["SELECT", "FROM", "JOIN", "WHERE", "ON", "USING", "BY", "HAVING", "QUALIFY", "LIMIT"];

/** The options at a place, best first; undefined: nothing is proposed there. */
export async function complete(sql: string, at: number, asked: boolean, names: Names): Promise<Options | undefined> {
  const before = pieces(sql.slice(0, at)), last = before.at(-1), touching = last?.to === at ? last : undefined;
  if (touching?.kind === "comment") return undefined;
  const used = tablesIn(sql), open = touching?.kind === "text" && !closed(touching.text);
  if (open) return values(before.slice(0, -1), touching!, used, names);
  const typed = touching && touching.kind !== "mark" && touching.kind !== "text" ? touching : undefined;
  const rest = typed ? before.slice(0, -1) : before, prev = rest.at(-1), from = typed?.from ?? at;
  const apply = (name: string) => quoted(name, names.backticks());
  const column = (c: KnownColumn): Option => ({ label: c.name, apply: apply(c.name), type: "property",
    detail: c.type ?? T.column, boost: 4 });
  if (prev?.text === "." && isName(rest.at(-2))) {
    const word = nameOf(rest.at(-2)!), of = used.find(t => t.alias.toLowerCase() === word.toLowerCase())?.table ?? word;
    const columns = await names.columns(of);
    return columns && { from, options: columns.map(column) };
  }
  const joins = isWord(prev, "JOIN") && !/^\w*\s+(on|using)\b/i.test(sql.slice(from))
    ? await known(tablesIn(sql.slice(0, from)), names, apply) : [];
  if (!typed && !asked && !joins.length && !isWord(prev, "ON")) return undefined;
  if (inTables(rest)) {
    const { all, many } = await names.tables(typed ? nameOf(typed) : "");
    const tables = all.map((t): Option => ({ label: t.name, apply: t.name.startsWith("@") ? t.name : apply(t.name),
      type: "class", detail: t.detail })
    );
    return { from, now: many, options: sorted([...joins, ...tables]) };
  }
  // Before any table is named, those of the first tables are proposed.
  const of = used.length ? used
    : (await names.tables("")).all.slice(0, mostTables).map(t => ({ table: t.name, alias: t.name }));
  const columns = await Promise.all(of.map(async t => 
    ({ ...t, columns: await names.columns(t.table).catch(() => undefined) ?? [] })));
  if (isWord(prev, "ON")) {
    const equal = await equalities(columns, names, apply);
    if (equal.length || !typed && !asked) return { from, options: equal };
  }
  const seen = new Set<string>();
  return { from, options: [
    ...columns.flatMap(t => t.columns.map(c => used.length ? c : { ...c, type: `${t.table}, ${c.type ?? T.column}` }))
      .filter(c => !seen.has(c.name) && seen.add(c.name)).map(column),
    ...used.filter(t => t.alias !== t.table).map(t => ({ label: t.alias, apply: apply(t.alias) + ".", type: "variable",
      detail: t.table, boost: 3 })
    ),
    // What only has the letters of a word somewhere would be chosen in place of a word that is whole.
    ...keywords.filter(k => !typed || k.startsWith(typed.text.toUpperCase())).map(label =>
      ({ label, type: "keyword", boost: 1 })),
    ...functions.map(signature => {
      const name = /^\w+/.exec(signature)![0], more = signature.slice(name.length);
      return { label: name + more,
        apply: more.startsWith("()") ? name + more : more === "(*)" ? name + more : more ? name + "(" : name,
        type: "function" };
    }),
  ] };
}

const closed = (text: string) =>
  text.length > 1 && text.endsWith("'") && (/'*$/.exec(text.slice(1))![0].length % 2 === 1);

/** Whether a name of a table comes next. */
function inTables(before: Piece[]): boolean {
  if (isWord(before.at(-1), "FROM", "JOIN")) return true;
  if (before.at(-1)?.text !== ",") return false;
  let depth = 0;
  for (const p of [...before].reverse()) {
    if (p.text === ")") depth++;
    if (p.text === "(" && --depth < 0) return false;
    if (depth === 0 && isWord(p, ...clauses)) return isWord(p, "FROM", "JOIN");
  }
  return false;
}

/** The values of the column that a text is compared with. */
async function values(before: Piece[], text: Piece, used: { table: string; alias: string }[],
  names: Names): Promise<Options | undefined>
{
  let i = before.length - 1;
  while (i >= 0 && (before[i]!.kind === "text" || /^[,(]$/.test(before[i]!.text))) i--;
  if (isWord(before[i], "IN", "LIKE", "ILIKE", "NOT")) while (isWord(before[i], "IN", "LIKE", "ILIKE", "NOT")) i--;
  else if (/^[=<>!]$/.test(before[i]?.text ?? "")) while (/^[=<>!]$/.test(before[i]?.text ?? "")) i--;
  else return undefined;
  if (!isName(before[i])) return undefined;
  const column = nameOf(before[i]!),
    qualifier = before[i - 1]?.text === "." ? nameOf(before[i - 2]!).toLowerCase() : undefined;
  for (const t of used) {
    if (qualifier && t.alias.toLowerCase() !== qualifier) continue;
    const own = (await names.columns(t.table).catch(() => undefined))?.find(c =>
      c.name.toLowerCase() === column.toLowerCase()
    );
    const found = own && await names.values(t.table, own.name).catch(() => undefined);
    if (found) {
      return { from: text.from + 1,
        options: found.map(v => ({ label: v, apply: v.replaceAll("'", "''"), type: "text", detail: column })) };
    }
  }
  return undefined;
}

const sorted = (options: Option[]) => options.sort((a, b) => (b.boost ?? 0) - (a.boost ?? 0));

/** A known join, seen from one of its tables: pairs of its columns and those of the other. */
function seenFrom(table: string, j: Join) {
  const ours = j.table.toLowerCase() === table.toLowerCase(), said = j.multiplicity || "";
  const pairs = pairsOf(j).map(p => ours ? [p.column, p.to_column] as const : [p.to_column, p.column] as const);
  return ours ? { pairs, to: j.to, said } : { pairs, to: j.table, said: said.split("-to-").reverse().join("-to-") };
}

/** How rows meet by a join, in words, and how far up that is proposed: last where they multiply on both sides. */
async function meeting(names: Names, table: string, j: ReturnType<typeof seenFrom>, from: string) {
  const guess = from === "names" || from === "same name";
  const [own, column] = j.pairs[0]!, one = !j.said && j.pairs.length === 1;
  const [a, b] = one ? await Promise.all([names.repeats(table, own), names.repeats(j.to, column)]) : [];
  const meet = j.said || (a === false || b === false || a && b
    ? `${a === false ? "one" : "many"}-to-${b === false ? "one" : "many"}` : "");
  const repeats = meet === "many-to-many";
  return { boost: repeats ? -1 : guess ? 8 : 9, detail: [guess ? T.byNamesGuess : meet ? "" : from,
    repeats ? T.manyToManyRepeats : meet || T.notCountedMayRepeat].filter(w => w)
    .join(", ") };
}

const equal = (apply: (name: string) => string, a: string, b: string, pairs: (readonly [string, string])[]) =>
  pairs.map(([own, other]) => `${apply(a)}.${apply(own)} = ${apply(b)}.${apply(other)}`).join(" AND ");

/** The tables that those before are known to join with, each with its condition; guesses last. */
async function known(used: { table: string; alias: string }[], names: Names, apply: (name: string) => string) {
  const taken = new Set(used.map(t => t.alias.toLowerCase()));
  const of = used.map(async ({ table, alias }) =>
    Promise.all((await names.joins(table).catch(() => [])).map(async (j): Promise<Option> => {
      const seen = seenFrom(table, j), { pairs, to } = seen;
      let as = to.split(".").at(-1)!;
      for (let n = 2; taken.has(as.toLowerCase()); n++) as = `${to}_${n}`;
      const named = as === to ? apply(to) : `${apply(to)} AS ${apply(as)}`;
      return { label: `${named} ON ${equal(apply, alias, as, pairs)}`, type: "class",
        ...await meeting(names, table, seen, j.known_from) };
    }))
  );
  return sorted((await Promise.all(of)).flat());
}

/** Equalities of the last table with those before it: by known joins, then by columns with one name. */
async function equalities(all: { table: string; alias: string; columns: KnownColumn[] }[], names: Names,
  apply: (name: string) => string): Promise<Option[]>
{
  const last = all.at(-1)!, found = new Map<string, Promise<Option>>();
  for (const other of all.slice(0, -1)) {
    const add = (seen: ReturnType<typeof seenFrom>, from: string) => {
      const label = equal(apply, other.alias, last.alias, seen.pairs);
      if (found.has(label)) return;
      found.set(label, meeting(names, other.table, seen, from).then(how => ({ label, type: "property", ...how })));
    };
    for (const j of await names.joins(other.table).catch(() => [])) {
      const seen = seenFrom(other.table, j);
      if (seen.to.toLowerCase() === last.table.toLowerCase()) add(seen, j.known_from);
    }
    for (const c of last.columns) {
      const same = other.columns.find(o => o.name.toLowerCase() === c.name.toLowerCase());
      if (same) add({ pairs: [[same.name, c.name]], to: last.table, said: "" }, T.sameName);
    }
  }
  return sorted(await Promise.all(found.values()));
}
