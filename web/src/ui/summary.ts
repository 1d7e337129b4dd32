// What a column of a result holds, counted from its rows.
import { periodAfter } from "../chart/choice";
import { isTime, text } from "../values";
import { compare } from "./arrange";
import type { PageColumn, Value } from "../types";

/** A range of numbers, or of times as texts. */
export interface Bin<T = number | string> { from: T; to: T; n: number; last: boolean }
export interface Summary {
  rows: number; nulls: number; /** Nothing: they were not counted. */ distinct?: number | undefined; about?: boolean;
  /** What else is to be known of it. */ marks?: string[];
  low?: Value; high?: Value; median?: number; mean?: number;
  /** Of numbers and times with many values: how they are spread. Of all others: the values that come most. */
  bins?: Bin[]; top?: { value: Value; n: number }[];
}

const mostTop = 6, mostBins = 16;

export function summarize(c: PageColumn, at: number, rows: Value[][]): Summary {
  const all = rows.map(r => r[at] ?? null).filter(v => v !== null),
    seen = new Map<string, { value: Value; n: number }>();
  for (const value of all) {
    const key = text(value), known = seen.get(key);
    if (known) known.n++;
    else seen.set(key, { value, n: 1 });
  }
  const s: Summary = { rows: rows.length, nulls: rows.length - all.length, distinct: seen.size };
  if (!all.length) return s;
  const nested = typeof all[0] === "object";
  if (!nested) {
    s.low = all.reduce((a, b) => compare(b, a, c.numeric) < 0 ? b : a);
    s.high = all.reduce((a, b) => compare(b, a, c.numeric) > 0 ? b : a);
  }
  const numbers = c.numeric ? all.map(Number).filter(n => Number.isFinite(n)).sort((a, b) => a - b) : [];
  if (numbers.length) {
    const half = numbers.length >> 1;
    s.median = numbers.length % 2 ? numbers[half]! : (numbers[half - 1]! + numbers[half]!) / 2;
    s.mean = numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
    if (seen.size > mostTop && numbers[0]! < numbers.at(-1)!) s.bins = binsOf(numbers);
  }
  if (isTime(c) && seen.size > mostTop) s.bins = periodsOf(all.map(text));
  if (!s.bins?.length) s.top = [...seen.values()].sort((a, b) => b.n - a.n).slice(0, mostTop);
  return s;
}

const mostBars = 60, hour = 3_600_000;
// Periods, how much of a time as a text names one, and about how long they last.
const periods: [each: string, named: number, long: number][] = [["second", 19, 1000], ["minute", 16, 60_000],
  ["hour", 13, hour], ["day", 10, 24 * hour], ["month", 7, 720 * hour], ["year", 4, 8760 * hour]];

/** The shortest periods that are few enough, with the times in them; none, where a time has no place. */
function periodsOf(texts: string[]): Bin[] {
  const all = texts.map(t => t.slice(0, 19).replace(" ", "T")).sort(), low = all[0]!, high = all.at(-1)!;
  if (!all.every(t => /^\d{4}-\d\d-\d\d(T[\d:]{8})?$/.test(t))) return [];
  const ms = (t: string) => Date.parse((t + "T00:00:00").slice(0, 19) + "Z");
  const found = periods.find(([, , long]) => ms(high) - ms(low) < mostBars * long), n = new Map<string, number>();
  if (!found) return [];
  const [each, named] = found, name = (t: string) => t.slice(0, named), shape = named > 10 ? 19 : 10;
  for (const t of all) n.set(name(t), (n.get(name(t)) ?? 0) + 1);
  const bins: Bin[] = [];
  for (let at = name(low) + "0000-01-01T00:00:00".slice(named); name(at) <= name(high);) {
    const to = periodAfter(at, each);
    bins.push({ from: at.slice(0, shape), to: to.slice(0, shape), n: n.get(name(at)) ?? 0, last: false });
    at = to;
  }
  return bins;
}

/** Ranges of round width that hold sorted numbers. */
function binsOf(numbers: number[]): Bin<number>[] {
  const low = numbers[0]!, high = numbers.at(-1)!, raw = (high - low) / (mostBins - 2),
    size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map(m => m * size).find(w => w >= raw)!, start = Math.floor(low / step),
    bins: Bin<number>[] = [];
  const edge = (i: number) => Number(((start + i) * step).toPrecision(12));
  for (let i = 0; edge(i) <= high; i++) bins.push({ from: edge(i), to: edge(i + 1), n: 0, last: false });
  for (const n of numbers) {
    let i = Math.min(bins.length - 1, Math.max(0, Math.floor(n / step) - start));
    while (i > 0 && n < bins[i]!.from) i--; // the edges are rounded
    while (i < bins.length - 1 && n >= bins[i]!.to) i++;
    bins[i]!.n++;
  }
  bins.at(-1)!.last = true;
  return bins;
}
