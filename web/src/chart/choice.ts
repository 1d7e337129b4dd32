// What a chart draws of which columns, and what is proposed of a result.
import { count } from "../format";
import { isTime, text } from "../values";
import type { Condition } from "../ui/arrange";
import type { PageColumn, Value } from "../types";
import { chart as T } from "../texts/en/chart";
import { say } from "../texts/say";

export const kinds = ["bar", "line", "point", "area"] as const;
export type Kind = typeof kinds[number];

/** What becomes of rows that share a place across: each is drawn, or one figure of them all. */
export const hows = ["each", T.mean, T.median, T.sum, "count", "distinct"] as const;
export type How = typeof hows[number];

interface Drawing { kind: Kind; how: How; title?: string; grouped?: boolean;
  /** Numbers across are put into ranges. */ bins?: boolean; /** The highest come first. */ highest?: boolean;
  /** Upwards in powers of ten; what is below zero goes down in them. */ log?: boolean;
  /** What would be colours are panels. */ panels?: boolean; /** Parts are drawn of 100 percent. */ percent?: boolean;
  /** Names of the axes, in place of those of the columns. */ across?: string; up?: string }

/** What is drawn: columns by their place; made: y is the figure already; none: nothing is
 * drawn until somebody chooses what. */
export interface Choice extends Drawing { x: number; y: number; by: number; made?: true; none?: boolean;
  /** A second column up: a series of its own. */ also?: number }

/** The same by the names of the columns: it outlives the result. */
export interface Named extends Drawing { x: string; y: string; by: string; also?: string }

/** How many colours can be told apart. */
const maxColours = 20;

/** What a row is in the column of colours. */
export const seriesOf = (r: Value[], c: Choice) => c.by < 0 ? "" : String(r[c.by] ?? "NULL");

/** What a series comes to in all, by the figure that is drawn of it. */
function sizeOf(rows: Value[][], c: Choice): number {
  if (c.how === "count" && !c.made) return rows.length;
  const known = rows.filter(r => hasValue(r[c.y], c.how)), figures = known.map(r => Number(r[c.y]));
  if (!known.length) return -Infinity;
  if (c.how === "count" || c.how === "sum") return figures.reduce((sum, n) => sum + n, 0);
  if (c.how === "distinct" && !c.made) return new Set(known.map(r => text(r[c.y]))).size;
  if (c.how === "median" && !c.made) return figures.sort((a, b) => a - b)[Math.floor(figures.length / 2)]!;
  if (c.how === "each" || c.how === "distinct") return figures.reduce((most, n) => Math.max(most, n));
  // A figure of more rows says more of the whole.
  const sizes = known.map(r => c.made ? Number(r[4]) - Number(r[5]) : 1);
  return figures.reduce((sum, n, i) => sum + n * sizes[i]!, 0) / sizes.reduce((sum, n) => sum + n, 0);
}

/**
 * The series that have a colour of their own, and how many others share the last one: where they are more than
 * colours, those of which the least is drawn.
 */
export function colours(rows: Value[][], c: Choice): { own: string[]; others: number } {
  const of = new Map<string, Value[][]>();
  for (const r of rows) of.set(seriesOf(r, c), of.get(seriesOf(r, c)) ?? []).get(seriesOf(r, c))!.push(r);
  const all = [...of.keys()];
  if (all.length <= maxColours) return { own: all, others: 0 };
  const sizes = new Map(all.map(s => [s, sizeOf(of.get(s)!, c)]));
  const own = new Set([...all].sort((a, b) => sizes.get(b)! - sizes.get(a)!).slice(0, maxColours - 1));
  return { own: all.filter(s => own.has(s)), others: all.length - own.size };
}

/** What a chart says of series that share a colour. */
export function sharing(columns: PageColumn[], rows: Value[][], c: Choice): string[] {
  const { own, others } = colours(rows, c);
  return !others ? []
    : [say(T.ofValuesOfShare, { others: count(others), own: count(own.length + others), name: columns[c.by]!.name }) +
      say(T.withSmallest, { name: c.made ? columns[c.y]!.name : upTitle(columns, c) })];
}

/** Titles of the axes, where somebody has given them, and what a picture must say of itself. */
export interface Labels { x?: string | undefined; y?: string | undefined; notes?: string[] }

export const maxMarks = 5000;

/** What a picture of a part of the rows says of itself. */
export const partly = (shown: number, all: number | null) =>
  say(T.onlyOfFirstRows, { shown: count(shown), what: all === null ? T.thereAreMore
    : say(T.of2, { all: count(all) }) });

export const words: Record<How, string> = { each: T.eachValue, mean: T.mean, median: T.median, sum: T.sum,
  count: T.countOfRows, distinct: T.distinctValues };

export function named(c: Choice, columns: PageColumn[]): Named {
  const name = (at: number) => columns[at]?.name ?? "";
  const { also = -1, ...rest } = c;
  return { ...rest, x: name(c.x), y: name(c.y), by: name(c.by), ...(also >= 0 ? { also: name(also) } : {}) };
}

/** The choice for a result that has these columns; undefined if it has not, or the text of a link is none. */
export function placed(n: Named | undefined, columns: PageColumn[]): Choice | undefined {
  if (!n || !kinds.includes(n.kind) || !hows.includes(n.how)) return undefined;
  const at = (name: unknown) => columns.findIndex(c => c.name === name), x = at(n.x), y = at(n.y), by = at(n.by);
  if (x < 0 || n.y && y < 0 || n.by && by < 0) return undefined;
  const words = (text: unknown) => String(text ?? "").slice(0, 200);
  return { ...n, title: words(n.title), across: words(n.across), up: words(n.up), x, y, by,
    also: n.also ? at(n.also) : -1 };
}

/** What is drawn upwards, in words. */
export function upTitle(columns: PageColumn[], c: Choice): string {
  const name = columns[c.y]?.name ?? "";
  return c.how === "count" ? T.countOfRows
    : c.how === "distinct"
      ? say(T.distinctValuesOf, { name }) : c.how === "each" ? name : say(T.of3, { how: words[c.how], name });
}

/** Whether several rows have one place across, in one colour. */
export function shares(rows: Value[][], c: Choice): boolean {
  const seen = new Set<string>();
  for (const r of rows) {
    const at = JSON.stringify([r[c.x], c.by < 0 ? null : r[c.by]]);
    if (seen.has(at)) return true;
    seen.add(at);
  }
  return false;
}

/** Names of numbers that tell when or which, not how much. */
const noMeasure = /^(year|quarter|month|week|day|hour|id)$|_(id|key)$/i;

const mostNames = 60; // across in a proposed chart

/** Whether a column has so few values, each of several rows if these are many, that each can have a place. */
function names(at: number, rows: Value[][]): boolean {
  const seen = new Set<string>();
  return rows.length <= mostNames ||
    rows.every(r => seen.add(text(r[at])).size <= mostNames) && 2 * seen.size <= rows.length;
}

/**
 * The chart that most likely tells something: time or a text of few values across, the last other number up that
 * measures. Where rows share a place, a column that tells them apart gives colours, and without one their mean is
 * drawn; where there is no number, how many they are. Without such a column
 * the last number that measures is put into ranges, and without a number nothing is drawn. dashboard/chart.go in Go
 * follows the same rules: test/charts.json has examples of them.
 */
export function propose(columns: PageColumn[], rows: Value[][]): Choice {
  const varies = (at: number) => rows.some(r => text(r[at]) !== text(rows[0]![at]));
  const places = columns.map((_, at) => at).filter(at => !columns[at]!.numeric &&
    (isTime(columns[at]!) || names(at, rows))).sort((a, b) =>
    Number(isTime(columns[b]!)) - Number(isTime(columns[a]!)));
  const wordy = columns.some(c => !c.numeric), x = places.find(varies) ?? places[0] ?? (wordy ? -1 : 0);
  let y = columns.findLastIndex((c, i) => c.numeric && i !== x && !noMeasure.test(c.name));
  if (y < 0) y = columns.findIndex((c, i) => c.numeric && i !== x);
  if (x < 0 || y < 0 && columns[x]?.numeric)
    return { kind: "bar", x: Math.max(x, y, 0), y: x < 0 ? -1 : y, by: -1, how: "count", bins: true,
      ...(x < 0 && y < 0 ? { none: true } : {}) };
  const kind = isTime(columns[x]!) ? "line" as const : columns[x]!.numeric ? "point" as const : "bar" as const;
  const each: Choice = { kind, x, y, by: -1, how: "each" };
  if (y < 0) return { ...each, how: "count" };
  if (kind === "point" || !shares(rows, each)) return each;
  const by = columns.findIndex((c, at) => at !== x && at !== y && (!c.numeric || noMeasure.test(c.name)) &&
    new Set(rows.map(r => text(r[at]))).size <= maxColours && !shares(rows, { ...each, by: at }));
  return by < 0 ? { ...each, how: T.mean } : { ...each, by, ...(kind === "bar" ? { grouped: true } : {}) };
}

/** What is drawn of a choice: a figure where rows would lie on each other, or are more than can be drawn. */
export function settle(picked: Choice, columns: PageColumn[], rows: Value[][], many: boolean): Choice {
  const counted = picked.how === "distinct", numeric = !!columns[picked.y]?.numeric;
  const y = counted ? Math.max(0, picked.y) : numeric ? picked.y : columns.findIndex((c, at) =>
    c.numeric && at !== picked.x
  );
  const bins = !!columns[picked.x]?.numeric && (picked.bins || many && picked.how === "each");
  // In ranges of itself a number is counted, not averaged.
  const ranges = bins && (picked.how === "each" && !many || y === picked.x && !counted);
  const how = y < 0 || ranges ? "count" : picked.how;
  // Bars and areas of one place lie on each other: that adds them up, so it is not done unasked.
  const lies = how === "each" &&
    (many || (picked.kind === "bar" || picked.kind === "area") && shares(rows, picked));
  const also = how !== "count" && picked.also !== y && columns[picked.also ?? -1]?.numeric ? picked.also! : -1;
  return { ...picked, y, bins, how: lies ? T.mean : how, also, by: also >= 0 ? -1 : picked.by };
}

/** Parts of a sum lie on each other; parts of a mean, and two columns, do not. */
export const adds = (c: Choice) => !/^(mean|median|distinct)$/.test(c.how) && !c.log && !((c.also ?? -1) >= 0);

/** Asks for the groups of what is drawn: of two columns one after the other. */
export async function gathered(group: (c: Choice) => Promise<Groups>, c: Choice, columns: PageColumn[]) {
  if (!((c.also ?? -1) >= 0)) return group(c);
  const [a, b] = await Promise.all([group(c), group({ ...c, y: c.also! })]);
  const of = (g: Groups, y: number) => g.rows.map(r => r.with(2, columns[y]!.name));
  return { ...a, found: a.found + b.found, rows: [...of(a, c.y), ...of(b, c.also!)] };
}

const series: PageColumn = { name: T.series, type: "text", numeric: false };

/** Rows with two columns up as rows of two series. */
export function doubled(columns: PageColumn[], rows: Value[][], c: Choice) {
  if (!((c.also ?? -1) >= 0)) return { columns, rows, choice: c };
  const of = [c.y, c.also!];
  return { rows: of.flatMap(y => rows.map(r => [r[c.x] ?? null, r[y] ?? null, columns[y]!.name])),
    columns: [columns[c.x]!, { name: of.map(y => columns[y]!.name).join(", "), type: "double", numeric: true }, series],
    choice: { ...c, x: 0, y: 1, by: 2 } };
}

/** Whether a value across is a place on a scale, where NULL has none, and not a name. */
export function scaled(columns: PageColumn[], c: Choice): boolean {
  return isTime(columns[c.x]!) || columns[c.x]!.numeric && (c.kind !== "bar" || !!c.bins);
}

/** Whether a row has a place across. */
export function across(r: Value[], columns: PageColumn[], c: Choice): boolean {
  const v = r[c.x] ?? null;
  return !scaled(columns, c) || v !== null && (isTime(columns[c.x]!) ? v !== "infinity" && v !== "-infinity"
    : Number.isFinite(Number(v)));
}

const hasValue = (v: Value | undefined, how: How) =>
  (v ?? null) !== null && (how === "distinct" || Number.isFinite(Number(v)));

/** What the chart leaves out, in words; "" for nothing. */
export function leftOut(columns: PageColumn[], rows: Value[][], c: Choice): string {
  let all = 0, out = 0;
  const of = new Set<number>();
  for (const r of rows) {
    const n = c.made ? Number(r[4]) : 1;
    all += n;
    const placed = across(r, columns, c);
    const lost = !placed ? n : c.made ? Number(r[5]) : c.how === "count" || hasValue(r[c.y], c.how) ? 0 : 1;
    if (lost) of.add(placed ? c.y : c.x);
    out += lost;
  }
  const what = (c.also ?? -1) >= 0 ? T.values : all === 1 ? T.row : T.rows;
  const names = [c.x, c.y].filter(at => of.has(at)).map(at => columns[at]!.name).join(T.or);
  return !out ? "" : say(T.notInChartOfWithout, { out: count(out), all: count(all), what, names });
}

/** Marks the points that no line reaches: no other of their colour is beside them. */
export function markLone(points: { x: string | number | null; y: unknown; by: string; lone?: number }[], c: Choice,
  onScale: boolean)
{
  const lines = new Map<string, Map<string | number | null, typeof points>>();
  for (const p of points) {
    const line = lines.get(p.by) ?? new Map();
    lines.set(p.by, line.set(p.x, [...line.get(p.x) ?? [], p]));
  }
  for (const line of lines.values()) {
    const places = [...line.entries()];
    if (onScale) places.sort(([a], [b]) => a! < b! ? -1 : 1);
    const drawn = places.map(([, at]) => c.how === "count" || at.some(p => p.y !== null));
    places.forEach(([, at], i) => {
      for (const p of at) p.lone = drawn[i] && !drawn[i - 1] && !drawn[i + 1] ? 1 : 0;
    });
  }
}

/** Groups of rows that an engine has made; api.ResultGroups in Go. */
export interface Groups { rows: Value[][]; found: number; each?: string }

/** Groups as rows to draw: each of them has its place. */
export function ofGroups(g: Groups, columns: PageColumn[], c: Choice): { columns: PageColumn[]; rows: Value[][];
  choice: Choice; labels: Labels }
{
  const x = columns[c.x]!, two = (c.also ?? -1) >= 0,
    up = upTitle(columns, c) + (two ? `, ${columns[c.also!]!.name}` : "");
  return {
    columns: [x, { name: up, type: "double", numeric: true },
      two ? series : c.by < 0 ? { name: "", type: "text", numeric: false } : columns[c.by]!, { ...x, name: T.upTo }],
    rows: g.rows, choice: { ...c, x: 0, y: 1, by: c.by < 0 && !two ? -1 : 2, made: true },
    labels: { notes: g.found > g.rows.length
      ? [say(T.onlyPlacesWithMost, { rows: count(g.rows.length), found: count(g.found) })] : [],
      x: g.each ? say(T.by, { name: x.name, each: g.each }) : x.name, y: up },
  };
}

/** The conditions of the rows behind a mark; undefined: it is of no rows of its own, as a line is. */
export function behind(d: Record<string, unknown>, columns: PageColumn[], rows: Value[][], c: Choice,
  each?: string): Condition[] | undefined
{
  const bin = Object.keys(d).find(k => /^bin_.*_x$/.test(k)) ?? ("x_end" in d ? "x" : undefined);
  const is = (at: number, v: Value): Condition => v === null ? { at, null: true } : { at, is: text(v) };
  const found: Condition[] = [];
  if (bin) {
    const to = Number(d[bin === "x" ? "x_end" : `${bin}_end`]), most = rows.reduce((n, r) =>
      Math.max(n, Number(r[c.x] ?? NaN) || n), -Infinity);
    found.push({ at: c.x, from: String(d[bin]), to: String(to), ...(to <= most ? { last: true } : {}) });
  } else {
    const place = Object.keys(d).find(k => k === "x" || /^utc.*_x$/.test(k)); // the latter is of a bar of a period
    if (!place) return undefined;
    const x = d[place], same = (v: Value | undefined) => plain(v, columns[c.x]!) === x ||
      x !== null && isTime(columns[c.x]!) && moment(text(v)) === Number(x);
    const row = rows.find(r => same(r[c.x]));
    if (!row) return undefined;
    const from = text(row[c.x]), to = each && row[c.x] !== null && periodAfter(from, each);
    found.push(to ? { at: c.x, from, to } : is(c.x, row[c.x] ?? null));
  }
  const part = c.by < 0 ? undefined : rows.find(r => String(r[c.by] ?? "NULL") === d.by);
  return part ? [...found, is(c.by, part[c.by] ?? null)] : found;
}

/** When the period ends that begins at a time. */
export function periodAfter(from: string, each: string): string {
  const t = new Date(from.replace(/Z?$/, "Z")), months = { month: 1, quarter: 3, year: 12 }[each] ?? 0;
  const days = { day: 1, week: 7 }[each] ?? 0, seconds = { hour: 3600, minute: 60, second: 1 }[each] ?? 0;
  t.setUTCMonth(t.getUTCMonth() + months, t.getUTCDate() + days);
  t.setTime(t.getTime() + 1000 * seconds);
  return t.toISOString().slice(0, 19);
}

/** A date or time in milliseconds, as in UTC: a chart is the same in each zone. */
export const moment = (t: string) => Date.parse(t.length > 10 ? t.replace(" ", "T").replace(/Z?$/, "Z") : t);

/** The longest period with which each of the times begins; "": none of an hour or more. */
export function periodOf(times: number[]): string {
  const each = (is: (t: Date) => boolean) => times.every(t => is(new Date(t))), day = 864e5;
  if (!times.length || !times.every(t => t % 36e5 === 0)) return "";
  if (!times.every(t => t % day === 0)) return "hour";
  if (!each(t => t.getUTCDate() === 1))
    return times.length > 1 && times.every(t => (t - times[0]!) % (7 * day) === 0) ? "week" : "day";
  return !each(t => t.getUTCMonth() % 3 === 0) ? "month" : !each(t => t.getUTCMonth() === 0) ? "quarter" : "year";
}

export function plain(v: Value | undefined, c: PageColumn): string | number | null {
  if (v === null || v === undefined) return null;
  return c.numeric ? Number(v) : typeof v === "object" ? JSON.stringify(v) : String(v);
}
