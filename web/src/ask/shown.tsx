// What the model shows beside its words: tables and charts.
import { useState } from "preact/hooks";
import { Chart } from "../chart/chart";
import { partly } from "../chart/choice";
import { isNumber } from "../values";
import { link } from "../route";
import { Warnings } from "../ui/notice";
import { Origins } from "../ui/origin";
import { Result, Tools } from "../ui/result";
import type { Value } from "../types";
import type { AgentChart, Frame } from "./types";
import { ask as T } from "../texts/en/ask";

const columnsOf = (f: Frame) =>
  f.columns.map((name, i) => ({ name, type: f.column_types[i] ?? "", numeric: isNumber(f.column_types[i] ?? "") }));

const Statement = ({ sql }: { sql: string }) =>
  sql ? <details>
    <summary>{T.sql}</summary>
    <pre>{sql}</pre>
    <p>
      <a href={link(["sql"], { q: sql })}>{T.openInEditor}</a>
    </p>
  </details> : null;

/** folded: a few rows without tools, until these are wanted. */
export function FrameView({ frame: f, folded }: { frame: Frame; folded?: boolean }) {
  const [rows] = useState(() => ({ columns: columnsOf(f), rows: f.rows, shown: f.rows.length,
    more: f.rows_total == null || f.rows_total > f.rows.length, caveats: f.caveats ?? [] })
  );
  return <section>
    <h2>{f.logical_name}</h2>
    <Origins.Provider value={{ name: f.logical_name, sql: f.sql, caveats: f.caveats ?? [] }}>
      <Result rows={rows} id={`frame ${f.logical_name} ${f.sql}`} name={f.logical_name} total={f.rows_total}
        folded={folded} />
    </Origins.Provider>
    <Statement sql={f.sql} />
  </section>;
}

export function ChartView({ chart: c, folded }: { chart: AgentChart; folded?: boolean }) {
  const [tools, setTools] = useState(!folded);
  // One row for each point of each series, as the drawing takes them.
  const [drawn] = useState(() => {
    const at = (name: string) => c.data.columns.indexOf(name), x = at(c.x_field);
    const rows: Value[][] = c.series.flatMap(s =>
      c.data.rows.map(r => [r[x] ?? null, s.name, r[at(s.y_field)] ?? null])
    );
    const type = c.data.column_types[x] ?? "";
    return { rows,
      columns: [{ name: c.x_field, type, numeric: isNumber(type) }, { name: "series", type: "text", numeric: false }, {
        name: c.series.length === 1 ? c.series[0]!.name : "value",
        type: "double",
        numeric: true,
      }] };
  });
  const kind = c.chart_type === "line" ? "line" as const
    : c.chart_type === "scatter" ? "point" as const : "bar" as const;
  return <section>
    <div class="bar">
      <h2>{c.title || c.logical_name}</h2>
      <span class="grow" />
      {folded && <Tools open={tools} turn={setTools} />}
    </div>
    <Warnings caveats={c.data.caveats} />
    <Chart {...drawn} id={`answer ${c.logical_name} ${c.sql}`} name={c.title || c.logical_name}
      bare={!tools} labels={{ x: c.x_label, y: c.y_label, notes: c.data.rows_total === c.data.rows.length ? []
        : [partly(c.data.rows.length, c.data.rows_total)] }}
      initial={{ kind, x: 0, y: 2, how: "each", by: c.series.length > 1 ? 1 : -1,
        grouped: c.chart_type !== "stacked_column" }} />
    {c.note && <p class="soft">{c.note}</p>}
    <Statement sql={c.data.sql || c.sql} />
  </section>;
}
