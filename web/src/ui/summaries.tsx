// What each column of a result holds; a click on a value or a range shows its rows.
import { useMemo, useState } from "preact/hooks";
import { ask } from "../api";
import { count, plural, share } from "../format";
import { isTime, readable, text } from "../values";
import { useAsked } from "../use";
import { summarize, type Summary } from "./summary";
import { Notice, Waiting } from "./notice";
import type { Condition, Part } from "./arrange";
import type { KeptResult, PageColumn, Value } from "../types";
import { ui as T } from "../texts/en/ui";
import { say } from "../texts/say";

const mostText = 1000; // characters of a value that the server says whole

interface SummariesProps {
  columns: PageColumn[]; /** Rows, what is known of them, or a part of a result that the server keeps. */
  of: Value[][] | Summary[] | { result: KeptResult; part: Part };
  /** Places of the columns that are shown, in their order. */
  places: number[];
  /** Without it they stay where they are. */
  arrange?: (places: number[]) => void; narrow: (c: Condition) => void;
}

const isMade = (of: Value[][] | Summary[]): of is Summary[] => of.length > 0 && !Array.isArray(of[0]);

const atOnce = 4; // columns that are asked for together

export function Summaries({ columns, of, places, arrange, narrow }: SummariesProps) {
  const here = useMemo(() => !Array.isArray(of) ? undefined : isMade(of) ? of
    : columns.map((c, at) => summarize(c, at, of)), [columns, of]);
  const [come, set] = useState<Summary[]>([]);
  const asked = useAsked(async signal => {
    set([]);
    if (Array.isArray(of)) return;
    for (let from = 0; from < columns.length; from += atOnce) {
      const some = columns.slice(from, from + atOnce).map((_, i) => from + i);
      const more = await ask<Summary[]>("POST", `/api/page/results/${of.result.id}/summaries`,
        { part: of.part, columns: some }, signal);
      set(all => [...all, ...more]);
    }
  }, [Array.isArray(of) ? "" : of.result.id + JSON.stringify(of.part)]);
  const all = here ?? come;
  const rest = columns.map((_, at) => at).filter(at => !places.includes(at));
  return <>
  {asked.error && <Notice error={asked.error} />}
  <ul class="summaries" aria-busy={all.length < columns.length}>
    {[...places, ...rest].map(at => {
      const c = columns[at]!, shown = places.includes(at);
      return <li key={at} class={"summary" + (shown ? "" : " before")}>
        <h2 title={c.name}>
          {c.name} <code class="soft small">{c.type}</code>
        </h2>
        {all[at] ? <One of={all[at]} column={c} at={at} narrow={narrow} /> : <Waiting what={c.name} lines={3} />}
        {arrange && <div class="bar">
          <button type="button" class="quiet small"
            onClick={() => arrange(shown ? places.filter(p => p !== at) : [...places, at])}
            disabled={shown && places.length === 1} aria-label={`${shown ? T.hide : T.show2} ${c.name}`}>
            {shown ? T.hide : T.show2}
          </button>
          {shown && places[0] !== at &&
            <button type="button" class="quiet small" aria-label={say(T.putFirst, { name: c.name })} onClick={() =>
              arrange([at, ...places.filter(p => p !== at)])}>
              {T.first2}
            </button>}
        </div>}
      </li>;
    })}
  </ul></>;
}

function One(
  { of: s, column: c, at, narrow }: { of: Summary; column: PageColumn; at: number; narrow: (c: Condition) => void },
) {
  const most = Math.max(1, ...(s.bins ?? s.top ?? []).map(b => b.n)),
    fine = (n: number | undefined) => readable(n === undefined ? undefined
      : Math.abs(n) < 1e5 ? Number(n.toPrecision(6)) : Math.round(10 * n) / 10, { ...c, name: "", numeric: true });
  const ordered = c.numeric || isTime(c) || /^(time|bool)/i.test(c.type);
  const show = (v: Value | undefined) => v === "" ? "''" : readable(v, c).slice(0, 60);
  return <>
    <p class="soft small">
      {s.distinct !== undefined && <>{s.about && T.about}{say(T.distinct, { distinct: count(s.distinct) })}</>}
      {s.nulls > 0 && <>
        {s.distinct !== undefined && ", "}
        <button type="button" class="link" onClick={() => narrow({ at, null: true })}>
          {say(T.null2, { nulls: count(s.nulls), share: share(s.nulls, s.rows) })}
        </button>
      </>}
    </p>
    {!!s.marks?.length && <p class="small">{s.marks.join(", ")}</p>}
    {s.bins &&
      <div class="bins" role="group" aria-label={say(T.rangesOf, { name: c.name })}>
        {s.bins.map(b =>
          <button key={b.from} type="button" title={say(T.to, { from: b.from, to: b.to, what: count(b.n) })}
            aria-label={say(T.toRows, { from: b.from, to: b.to, what: count(b.n) })} disabled={!b.n} onClick={() =>
            narrow({ at, from: String(b.from), to: String(b.to), last: b.last })}>
            <i style={{ height: `${Math.ceil(100 * b.n / most)}%` }} />
          </button>
        )}
      </div>}
    {s.top && <ul class="top">
      {s.top.map(t =>
        <li key={text(t.value)}>
          <button type="button" title={text(t.value).slice(0, 500)} disabled={text(t.value).length >= mostText}
            onClick={() => narrow({ at, is: text(t.value) })}>
            <i style={{ width: `${100 * t.n / most}%` }} />
            <span>{show(t.value)}</span>
            <span class="soft">{count(t.n)}</span>
          </button>
        </li>
      )}
    </ul>}
    {s.top && s.top.length > 0 && s.distinct !== undefined && s.distinct > s.top.length &&
      <p class="soft small">{plural(s.distinct - s.top.length, T.andMoreValues)}</p>}
    {s.low !== undefined && ordered && <p class="soft small range">
      <span title={T.smallest}>{show(s.low)}</span>
      <span title={T.largest}>{show(s.high)}</span>
    </p>}
    {s.low !== undefined && !ordered && <p class="soft small">
      {say(T.byLetters, { low: show(s.low), high: show(s.high) })}
    </p>}
    {s.median !== undefined && <p class="soft small">
      {say(T.medianMean, { median: fine(s.median), mean: fine(s.mean) })}
    </p>}
  </>;
}
