// A file of rows: how it was read, which can be corrected, its rows, their statistics, and SQL over it.
import { useState } from "preact/hooks";
import { ask, type Failure } from "../api";
import { count } from "../format";
import { isNumber, text } from "../values";
import { link, replace, type Route } from "../route";
import { asFailure, useAsked } from "../use";
import { Below } from "../ui/below";
import { Grid } from "../ui/grid";
import { List } from "../ui/list";
import { Empty, Notice, Waiting, Warnings } from "../ui/notice";
import { Pointer } from "../ui/pointer";
import { Result } from "../ui/result";
import { step, Windows } from "../ui/rows";
import { Waits } from "../ui/waits";
import { useKept } from "../store";
import type { Caveat, PageRows, Value } from "../types";
import { files as T } from "../texts/en/files";
import { rich, say } from "../texts/say";

/** How a file was read; table.Map in Go. */
interface Form {
  format: string;
  delimiter: string | null;
  encoding_detected: string | null;
  has_header: boolean;
  header_rows?: number;
  sheet: string | null;
  sheets?: string[];
  row_count: number;
  columns: { name: string; inferred_type: string; forced?: boolean }[];
  caveats: Caveat[];
}
interface Window {
  columns: string[];
  column_types: string[];
  rows: Value[][];
  row_count: number;
  caveats: Caveat[];
  has_more: boolean;
  query_elapsed_ms?: number;
}
interface ColumnStats {
  name: string;
  type: string;
  null_count: number;
  distinct_estimate: number;
  min?: Value;
  max?: Value;
  mean?: Value;
  median?: Value;
  most_common?: { value: Value; count: number }[];
}

const types = ["string", "integer", "decimal", "float", "boolean", "date", "time", "timestamp"];
const names: Record<string, string> = { ",": T.comma, ";": T.semicolon, "\t": T.tab, "|": T.bar, " ": T.blank };
const named = (delimiter: string) => names[delimiter] ?? delimiter;

/** What is given of the form of a file, by the address. */
function given(route: Route): Record<string, unknown> {
  const q = route.query,
    types = q.getAll("type").map(t => [t.slice(0, t.lastIndexOf(":")), t.slice(t.lastIndexOf(":") + 1)]);
  const header = q.get("header");
  return {
    ...Object
      .fromEntries(["delimiter", "encoding", "sheet", "range", "date_format"].filter(k => q.get(k)).map(
        k => [k, q.get(k)!]
      )),
    ...(header === "none" ? { no_header: true } : header ? { header_line: Number(header) } : {}),
    ...(types.length ? { types: Object.fromEntries(types) } : {}),
  };
}

export function FileTable({ id, route }: { id: string; route: Route }) {
  const options = given(route), key = JSON.stringify(options), path = `/api/files/${encodeURIComponent(id)}/table`;
  const form = useAsked(signal => ask<Form>("POST", path, { want: "map", ...options }, signal), [id, key]);
  const tab = route.query.get("show") ?? "rows", f = form.data;
  const set = (change: (q: URLSearchParams) => void) => {
    const q = new URLSearchParams(route.query);
    change(q);
    replace(link(route.path) + (q.size ? "?" + q : ""));
  };
  const put = (name: string, value: string) => set(q => { if (value) q.set(name, value); else q.delete(name); });
  return <>
    <HowRead form={f} route={route} put={put} />
    {form.error && <Notice error={form.error} />}
    {!f && !form.error && <Waiting what={T.file3} />}
    {f && <>
      <Warnings caveats={f.caveats} />
      <div class="segments" role="group" aria-label={T.show}>
        {([["rows", say(T.rows,
          { rowCount: count(f.row_count) })], ["columns", say(T.columns, { columns: count(f.columns.length) })], ["sql",
          "SQL"]] as const).map(([t, label]) =>
            <button key={t} aria-pressed={tab === t} onClick={() => put("show", t === "rows" ? "" : t)}>{label}</button>
          )}
      </div>
      {tab === "rows" && <Rows key={id + key} path={path} options={options} all={f.row_count} told={f.caveats} />}
      {tab === "columns" &&
        <Columns key={id + key} path={path} options={options} form={f} retype={(name, type) =>
          set(q => {
            const rest = q.getAll("type").filter(t => !t.startsWith(name + ":"));
            q.delete("type");
            for (const t of type ? [...rest, `${name}:${type}`] : rest) q.append("type", t);
          })} />}
      {tab === "sql" && <Sql key={id + key} id={id} path={path} options={options} told={f.caveats} />}
    </>}
  </>;
}

/** Fields with what was guessed of the form. */
function HowRead(
  { form: f, route, put }: { form: Form | undefined; route: Route; put: (name: string, value: string) => void },
) {
  const q = route.query, plain = !f || f.delimiter !== null || f.encoding_detected !== null, sheet = f?.sheet != null;
  const field = (name: string, label: string, guessed: string) =>
    <label class="pick">
      <span>{label}</span>
      <input class="fits" size={Math.max(14, guessed.length)} value={q.get(name) ?? ""} placeholder={guessed}
        spellcheck={false}
        onChange={e => put(name, e.currentTarget.value.trim())} />
    </label>;
  const header = !f ? "" : f.has_header ? (f.header_rows
    ? say(T.lines2, { headerRows: f.header_rows }) : T.yes) : "none";
  return <div class={T.bar} role="group" aria-label={T.howItIsRead}>
    {f && <span class="soft small">{f.format}</span>}
    {plain && <>
      <label class="pick">
        <span>{T.delimiter}</span>
        <select value={q.get("delimiter") ?? ""} onChange={e => put("delimiter", e.currentTarget.value)}>
          <option value="">{f?.delimiter ? say(T.guessed, { delimiter: named(f.delimiter) }) : T.guessed2}</option>
          {Object.entries(names).map(([d, n]) => <option key={d} value={d}>{n}</option>)}
        </select>
      </label>
      {field("encoding", T.encoding, f?.encoding_detected
        ? say(T.guessed3, { encodingDetected: f.encoding_detected }) : T.guessed2)}
    </>}
    {f?.sheets && f.sheets.length > 0 && <label class="pick">
      <span>{T.sheet}</span>
      <select value={q.get("sheet") ?? f.sheet ?? ""} onChange={e => put("sheet", e.currentTarget.value)}>
        {f.sheets.map(s => <option key={s}>{s}</option>)}
      </select>
    </label>}
    {sheet && field("range", T.range, T.allCells)}
    {(plain || sheet) && <>
      <label class="pick">
        <span>{T.namesOfColumnsInLine}</span>
        <input value={q.get("header") ?? ""} list="headers" placeholder={say(T.guessed4, { header })} onChange={e => {
          const v = e.currentTarget.value.trim();
          put("header", v === "none" || Number(v) > 0 ? v : "");
        }} />
      </label>
      <datalist id="headers">
        <option value="none" />
        <option value="1" />
        <option value="2" />
      </datalist>
      {field("date_format", T.dates, T.guessed2)}
    </>}
  </div>;
}

/** All rows, which come as they are looked at. */
function Rows({ path, options, all, told }: { path: string; options: object; all: number; told: Caveat[] }) {
  const [, turn] = useState(0);
  const window = (from: number, limit: number, signal: AbortSignal) =>
    ask<Window>("POST", path, { want: "rows", row_start: from + 1, row_count: limit, ...options }, signal);
  const first = useAsked(async signal => {
    const w = await window(0, step, signal);
    return { w, rows: new Windows(all, async (from, limit, signal) => (await window(from, limit, signal)).rows, () =>
      turn(n => n + 1), w.rows) };
  }, []);
  const error = first.error ?? (first.data?.rows.error ? asFailure(first.data.rows.error) : undefined);
  if (error) return <Notice error={error} />;
  if (all === 0) return <Empty title={T.thereAreNoRows} />;
  if (!first.data) return <Waiting what={T.rows2} lines={8} />;
  const { w, rows } = first.data;
  return <>
    <Warnings caveats={w.caveats.filter(c => !told.some(k => k.text === c.text))} />
    <Grid name={T.rows3} columns={columnsOf(w)} rows={rows} />
  </>;
}

const columnsOf = (w: Window) =>
  w.columns.map((name, i) => ({ name, type: w.column_types[i] ?? "", numeric: isNumber(w.column_types[i] ?? "") }));

function Columns(
  { path, options, form, retype }: { path: string; options: object; form: Form;
    retype: (name: string, type: string) => void },
) {
  const stats = useAsked(
    signal => ask<{ columns: ColumnStats[] }>("POST", path, { want: "stats", ...options }, signal),
    [],
  );
  const of = new Map(stats.data?.columns.map(c => [c.name, c]));
  const value = (v: Value | undefined) => v == null ? "" : <code>{text(v).slice(0, 60)}</code>;
  const figure = (v: Value | undefined) =>
    v == null ? "" : typeof v === "number" && !Number.isInteger(v) ? v.toPrecision(6) : text(v).slice(0, 30);
  return <>
    {stats.error && <Notice error={stats.error} />}
    <List name={T.statistics}
      head={[T.column, T.type, T.null, T.distinct, T.smallest, T.largest, T.mean, T.median, T.mostCommon]}
      numbers={[2, 3, 6, 7]} rows={form.columns} empty={T.thereAreNoColumns} row={c => {
      const s = of.get(c.name), wait = stats.data || stats.error ? "" : "…";
      return [<code>{c.name}</code>, <label class="pick">
        <span class="hidden">{say(T.typeOf, { name: c.name })}</span>
        <select value={c.forced ? c.inferred_type : ""} onChange={e => retype(c.name, e.currentTarget.value)}>
          <option value="">{c.forced ? T.asGuessed : say(T.guessed5, { inferredType: c.inferred_type })}</option>
          {types.map(t => <option key={t}>{t}</option>)}
        </select>
      </label>, s ? count(s.null_count) : wait, s ? count(s.distinct_estimate) : wait, value(s?.min), value(s?.max),
        figure(s?.mean), figure(s?.median),
        s?.most_common?.slice(0, 3).map(m => `${text(m.value).slice(0, 24)} (${count(m.count)})`).join(", ") ?? ""];
    }} />
  </>;
}

function Sql({ id, path, options, told }: { id: string; path: string; options: object; told: Caveat[] }) {
  const [sql, setSql] = useKept(`file sql ${id}`, "SELECT * FROM data LIMIT 100");
  const [busy, setBusy] = useState<AbortController>();
  const [error, fail] = useState<{ of: string; why: Failure }>();
  const [rows, setRows] = useState<{ at: number; of: string; rows: PageRows }>();
  const run = () => {
    if (busy) return;
    const stop = new AbortController();
    setBusy(stop);
    fail(undefined);
    ask<Window>("POST", path, { want: "query", sql, row_count: 2000, ...options }, stop.signal).then(
      w =>
        setRows({ at: Date.now(), of: sql,
          rows: { columns: columnsOf(w), rows: w.rows, shown: w.row_count, more: w.has_more,
            elapsed_ms: w.query_elapsed_ms ?? 0,
            caveats: w.caveats.filter(c => !told.some(k => k.text === c.text)) } }),
      e => {
        fail({ of: sql, why: asFailure(e) });
        if (asFailure(e).status) setRows(undefined);
      },
    ).finally(() => setBusy(undefined));
  };
  return <>
    <label class="field"><span>{rich(T.oneSELECTFileIs)}</span>
      <textarea class="code" rows={4} spellcheck={false} value={sql} onInput={e => setSql(e.currentTarget.value)}
        onKeyDown={e => {
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
            e.preventDefault();
            run();
          }
        }} />
    </label>
    <div class={T.bar}>
      <button class="primary" disabled={!!busy || !sql.trim()} onClick={run}>{busy ? T.running : T.run}</button>
      {busy && <Waits what={T.rowsCome} stop={busy} />}
    </div>
    {error && <Notice error={error.why}>
      <Pointer text={error.of} error={error.why} />
    </Notice>}
    {rows && <Below of={rows.of} now={sql}>
      <Result key={rows.at} id={String(rows.at)} rows={rows.rows} name="query" />
    </Below>}
  </>;
}
