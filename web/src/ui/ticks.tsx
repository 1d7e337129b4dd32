// Values of a column that come most, to be ticked.
import { useState } from "preact/hooks";
import { count } from "../format";
import { readable, text } from "../values";
import { useAsked } from "../use";
import { Notice } from "./notice";
import type { Condition } from "./arrange";
import type { PageColumn, Value } from "../types";
import { ui as T } from "../texts/en/ui";
import { say } from "../texts/say";

/** A value and how many rows have it. */
export interface Counted { value: Value; n: number }

export const mostTicks = 20;

/** The values that come most, of rows that are here. */
export function counted(rows: Value[][], at: number): Counted[] {
  const seen = new Map<string, Counted>();
  for (const r of rows) {
    const value = r[at] ?? null, known = seen.get(text(value));
    if (value === null) continue;
    if (known) known.n++;
    else seen.set(text(value), { value, n: 1 });
  }
  return most([...seen.values()]);
}

export const most = (all: Counted[]) =>
  all.filter(v => v.value !== null).sort((a, b) => b.n - a.n || (text(a.value) < text(b.value) ? -1 : 1))
    .slice(0, mostTicks);

interface TicksProps { column: PageColumn; of: (signal: AbortSignal) => Promise<Counted[]>;
  /** They are of so many rows, which are the first of more. */ first?: number | undefined;
  /** They are of the rows for which this is so. */ where?: string;
  /** What is ticked at first: the condition that is, which what is picked replaces. */
  now: string[]; pick: (c: Omit<Condition, "at">) => void }

export function Ticks({ column: c, of, first, where, now, pick }: TicksProps) {
  const all = useAsked(of, []);
  const [ticked, tick] = useState(now), [before] = useState(now);
  const turn = (v: string) => tick(ticked.includes(v) ? ticked.filter(o => o !== v) : [...ticked, v]);
  if (all.error) return <Notice error={all.error} />;
  if (!all.data) return <p class="soft small" role="status">{T.itsValuesAreCounted}</p>;
  // A ticked value that does not come most is there too, or nobody could take it away.
  const seen = new Set(all.data.map(({ value }) => text(value))),
    values = all.data.length < mostTicks ? T.values : say(T.valuesThatComeMost, { mostTicks }),
    more: { value: Value; n?: number }[] = before.filter(v => !seen.has(v)).map(value => ({ value }));
  return <fieldset class="ticks">
    <legend class="small soft">
      {first !== undefined ? say(T.valuesOfFirst, { values, n: count(first) })
        : where ? say(T.valuesWhere, { values, where }) : values}
    </legend>
    <div>
      {[...more, ...all.data].map(({ value, n }) => {
        const v = text(value);
        return <label key={v} title={v.slice(0, 500)}>
          <input type="checkbox" checked={ticked.includes(v)} onChange={() => turn(v)} />
          <span>{v === "" ? "''" : readable(value, c).slice(0, 60)}</span>
          <span class="soft">{n !== undefined && count(n)}</span>
        </label>;
      })}
    </div>
    <button type="button" disabled={!ticked.length} onClick={() =>
      pick(ticked.length === 1 ? { is: ticked[0]! } : { in: ticked })}>{T.onlyThese}</button>
  </fieldset>;
}
