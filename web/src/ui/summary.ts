// What a column of a result holds, counted from its rows.
import { text } from "../format";
import { compare } from "./arrange";
import type { PageColumn, Value } from "../types";

export interface Bin { from: number; to: number; n: number; last: boolean }
export interface Summary {
  rows: number; nulls: number; distinct: number; about?: boolean;
  low?: Value; high?: Value; median?: number; mean?: number;
  /** Of numbers with many values: how they are spread. Of all others: the values that come most. */
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
  if (!s.bins) s.top = [...seen.values()].sort((a, b) => b.n - a.n).slice(0, mostTop);
  return s;
}

/** Ranges of round width that hold sorted numbers. */
function binsOf(numbers: number[]): Bin[] {
  const low = numbers[0]!, high = numbers.at(-1)!, raw = (high - low) / (mostBins - 2),
    size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map(m => m * size).find(w => w >= raw)!, start = Math.floor(low / step),
    bins: Bin[] = [];
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
