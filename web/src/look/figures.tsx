// Asks for figures of a table by a few presses, without a statement.
import { useState } from "preact/hooks";
import { Field, Pick } from "../check/change";
import { link, replace, type Route } from "../route";
import { Price } from "../sql/price";
import { begin, query, type Run } from "../sql/run";
import { useKept } from "../store";
import { isTime } from "../values";
import { Below } from "../ui/below";
import { Notice } from "../ui/notice";
import { Result } from "../ui/result";
import { Waits } from "../ui/waits";
import { grains, howsOf, statementOf, type By, type Figure } from "./counted";
import type { Schema } from "../types";
import { look as T } from "../texts/en/look";
import { rich, say } from "../texts/say";

const words: Record<Figure["how"], string> = { count: T.countOfRows, sum: T.sum, mean: T.mean, median: T.median,
  min: T.smallest, max: T.largest, distinct: T.differentValues };

const spans = { year: T.year, quarter: T.quarter, month: T.month, week: T.week, day: T.day, hour: T.hour };

interface Asked { figures: Figure[]; by: By[]; where: string }

/** What an address asks for, as far as the table has it. */
function asked(route: Route, s: Schema): Asked {
  let of: Partial<Asked> = {};
  try { of = JSON.parse(route.query.get("of") ?? "{}") as Partial<Asked>; } catch { /* somebody has changed it */ }
  const column = (name: unknown) => s.columns.find(c => c.name === name);
  const figures = (Array.isArray(of.figures) ? of.figures : []).filter(f =>
    f && (f.of === "" || column(f.of)) && howsOf(column(f.of), s).includes(f.how));
  return { figures: figures.length ? figures : [{ how: "count", of: "" }], where: String(of.where ?? ""),
    by: (Array.isArray(of.by) ? of.by : []).filter(b => b && column(b.column) &&
      (!b.grain || (grains as readonly string[]).includes(b.grain))) };
}

export function Figures({ schema: s, route }: { schema: Schema; route: Route }) {
  const now = asked(route, s), sql = statementOf(s, now.figures, now.by, now.where);
  const [run, setRun] = useKept<Run>(`figures ${s.table_id}`, {}), [more, pick] = useState("");
  const put = (next: Partial<Asked>) =>
    replace(link(["tables", s.table_id, "figures"], { of: JSON.stringify({ ...now, ...next }) }));
  const start = () => {
    const stop = new AbortController();
    void begin(sql, "source", stop, run, setRun, async () => ({ rows: await query(sql, "source", stop.signal) }));
  };
  const columns: [string, string][] = s.columns.filter(c => !c.fields?.length).map(c => [c.name, c.name]);
  const figure = (at: number, f: Figure) => put({ figures: now.figures.map((o, i) => i === at ? f : o) });
  return <div class="part">
    {now.figures.map((f, i) =>
      <div class="asked" key={i} role="group" aria-label={say(T.figure, { what: i + 1 })}>
        <Pick label={T.show} value={f.how} all={howsOf(s.columns.find(c => c.name === f.of), s).map(h => [h, words[h]])}
          set={how => figure(i, { ...f, how: how as Figure["how"] })} />
        <Pick label={T.of} value={f.of} none={T.allRows} all={columns} set={of =>
          figure(i, { of, how: howsOf(s.columns.find(c => c.name === of), s)[0]! })} />
        {now.figures.length > 1 &&
          <button class="quiet" aria-label={say(T.removeFigure, { what: i + 1 })} onClick={() =>
            put({ figures: now.figures.filter((_, at) => at !== i) })}>
            ×
          </button>}
      </div>
    )}
    <div class="bar">
      <button class="quiet" disabled={now.figures.length > 5}
        onClick={() => put({ figures: [...now.figures, { how: "count", of: "" }] })}>
        {T.addFigure}
      </button>
    </div>
    <div class="bar" role="group" aria-label={T.groupedBy}>
      {now.by.map((b, i) =>
        <span key={b.column} class="bar">
          <button class="chip" aria-label={say(T.doNotGroupBy, { column: b.column })} onClick={() =>
            put({ by: now.by.filter((_, at) => at !== i) })}>
            {rich(T.by, { column: <code>{b.column}</code> })}
          </button>
          {isTime(s.columns.find(c => c.name === b.column)!) &&
            <Pick label={T.each} value={b.grain} none={T.value} all={grains.map(g => [g, spans[g]])} set={grain =>
              put({ by: now.by.map((o, at) => at === i ? { ...o, grain } : o) })} />}
        </span>
      )}
      {now.by.length < 4 &&
        <Pick label={T.groupBy} value={more} none="…" all={columns.filter(([c]) => !now.by.some(b => b.column === c))}
          set={column => {
            pick("");
            if (column)
              put({ by: [...now.by,
                { column, grain: isTime(s.columns.find(c => c.name === column)!) ? "month" : "" }] });
          }} />}
    </div>
    <Field wide label={T.where} value={now.where} placeholder={T.conditionEmptyAllRows}
      set={where => put({ where })} />
    <div class="bar">
      <button class="primary" aria-describedby="left" onClick={start} disabled={!!run.stop}>
        {run.stop ? T.running : T.show}
      </button>
      {run.stop && <Waits what={T.figuresCome} stop={run.stop} />}
      {!run.stop && <Price sql={sql} where="source" left="left" />}
      <span class="grow" />
      <a class="button quiet" href={link(["sql"], { q: sql })}>{T.openInSQL}</a>
    </div>
    {run.stopped && <p class="soft" role="status">{T.stopped}</p>}
    {run.error && run.sql === sql && <Notice error={run.error} />}
    {run.rows && <Below of={run.sql!} now={sql}>
      <Result key={run.at} id={"figures " + run.at} rows={run.rows} name={s.table_id}
        before={{ view: now.by.length ? "chart" : "rows" }} whole={{ sql: run.sql! }} />
    </Below>}
  </div>;
}
