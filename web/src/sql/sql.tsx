// Statements, run at the source of their tables.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, Failure, get } from "../api";
import type { PageProps } from "../app";
import { bytes, shell, usd } from "../format";
import { link, replace } from "../route";
import { asFailure, useAsked } from "../use";
import { Copy } from "../ui/copy";
import { List } from "../ui/list";
import { Notice } from "../ui/notice";
import { Result } from "../ui/result";
import { PriceLine } from "./price";
import { saved, type Saved } from "./saved";
import type { Editor } from "./editor";
import type { About, DeskPlan, PageRows, PageSnapshot, QueryPrice, Schema, Table } from "../types";

type Where = "source" | "here" | "fetch";
const places: Record<Where, [label: string, title: string]> = {
  source: ["At the source", "The tables' own engine runs it"], here: ["Here", "Over the snapshots of this machine"],
  fetch: ["Fetch, then here", "What it needs is fetched first, and kept for the next query"],
};

export function Sql({ route }: PageProps) {
  const about = useAsked(signal => get<About>("/api/page", signal), []);
  const desk = about.data?.desk ?? false;
  const snapshots = useAsked(async signal => desk ? get<PageSnapshot[]>("/api/page/desk/snapshots", signal) : [], [desk]);
  const [where, setWhere] = useState<Where>("source");
  const [plan, setPlan] = useState<DeskPlan>();
  const [price, setPrice] = useState<QueryPrice>();
  const start = route.query.get("q") ?? saved.draft();
  const sql = useRef(start);
  const [list, setList] = useState(saved.list());
  const [rows, setRows] = useState<PageRows>();
  const [error, fail] = useState<Failure>();
  const [busy, setBusy] = useState<AbortController>();
  const editor = useRef<Editor | undefined>(undefined);
  const tables = useAsked(signal => get<{ tables: Table[] }>("/api/v2/catalog", signal), []);
  const run = () => {
    const stop = new AbortController(), text = sql.current.trim().replace(/;\s*$/, "");
    if (!text) return;
    replace(link(["sql"], { q: text.length < 2000 ? text : undefined }));
    setBusy(stop);
    fail(undefined);
    forgetPlan();
    const asked = where === "source" ? ask<PageRows>("POST", "/api/page/query", { sql: text }, stop.signal)
      : ask<PageRows>("POST", "/api/page/desk/query", { sql: text, fetch: where === "fetch" }, stop.signal);
    asked.then(
      r => { setRows(r); setList(saved.ran(text)); },
      e => { if (!stop.signal.aborted) { setRows(undefined); fail(asFailure(e)); } },
    ).finally(() => setBusy(undefined));
  };
  const forgetPlan = () => { setPlan(undefined); setPrice(undefined); };
  const explain = () => {
    const stop = new AbortController(), text = sql.current.trim().replace(/;\s*$/, "");
    if (!text) return;
    setBusy(stop);
    fail(undefined);
    forgetPlan();
    const asked = where === "source" ? ask<QueryPrice>("POST", "/api/page/price", { sql: text }, stop.signal).then(setPrice)
      : ask<DeskPlan>("POST", "/api/page/desk/plan", { sql: text }, stop.signal).then(setPlan);
    asked.catch(e => { if (!stop.signal.aborted) fail(asFailure(e)); }).finally(() => setBusy(undefined));
  };
  const command = () => `da query ${where === "source" ? "--remote " : where === "fetch" ? "--fetch " : ""}${sql.current.trim().startsWith("-") ? "-- " : ""}${shell(sql.current.trim())}`;
  const put = (text: string) => { sql.current = text; editor.current?.put(text); };
  return <>
    <div class="head"><div><h1>SQL</h1><p class="soft">{where === "source" ? "One SELECT over tables of one source, run there." : where === "here" ? "One SELECT over the snapshots of this machine." : "One SELECT over snapshots and tables of any source."}</p></div></div>
    <div class="sql">
      <div class="sql-main">
        <EditorBox start={start} tables={tables.data?.tables ?? []} snapshots={snapshots.data ?? []} sql={sql} editor={editor} run={run} />
        {desk && <div class="segments" role="group" aria-label="Where it runs">{(Object.keys(places) as Where[]).map(w =>
          <button key={w} aria-pressed={where === w} title={places[w][1]} onClick={() => setWhere(w)}>{places[w][0]}</button>)}</div>}
        <div class="bar">
          <button class="primary" onClick={run} disabled={!!busy}>{busy ? "Running…" : "Run"}</button>
          <button onClick={explain} disabled={!!busy}>Plan</button>
          {busy && <button onClick={() => busy.abort()}>Stop</button>}
          <span class="soft small"><kbd>Ctrl</kbd> <kbd>Enter</kbd></span>
          <span class="grow" />
          <Copy text={command} label="Copy da command" />
          <button class="quiet" onClick={() => setList(saved.keep(sql.current.trim()))}>Save</button>
        </div>
        {error && <Notice error={error} />}
        {plan && <PlanView plan={plan} />}
        {price && <section><h2>Plan</h2><PriceLine price={price} /></section>}
        {rows && <Result rows={rows} name="query" />}
      </div>
      <aside class="sql-side" aria-label="Statements"><h2>Saved and recent</h2>
        {list.length === 0 && <p class="soft small">What you run is kept here, in this browser only.</p>}
        <ul>{list.map(s => <Kept key={s.sql} entry={s} put={put} changed={setList} />)}</ul></aside>
    </div>
  </>;
}

/** Where the rows of a statement would come from. */
function PlanView({ plan }: { plan: DeskPlan }) {
  const from: Record<string, string> = { here: "this machine", fetch: "its source", source: "its source, which runs the statement", nothing: "no row is needed" };
  const place = (t: DeskPlan["tables"][number]) => t.reuse
    ? (t.reuse.part ? "an earlier query" : `the snapshot ${t.reuse.snapshot}`) + (t.from === "remainder" ? ", and the rest from its source" : "")
    : from[t.from] ?? t.from;
  return <section><h2>Plan</h2>
    <List name="Plan" head={["Table", "From", "Columns", "Condition", "Reads", "Cost"]} rows={plan.tables} empty="It reads no table." numbers={[4, 5]}
      row={t => [t.table_id, place(t), t.select?.join(", ") ?? "", t.where ? <code>{t.where}</code> : "",
        t.estimate ? bytes(t.estimate.estimated_scan_bytes) : "0 bytes", t.estimate ? usd(t.estimate.bq_cost_estimate_usd) : "free"]} />
    {plan.tables.flatMap(t => (t.local ?? []).map(text => <p key={t.table_id + text} class="soft small">{t.table_id}: only checked here: {text}</p>))}
  </section>;
}

function Kept({ entry, put, changed }: { entry: Saved; put: (sql: string) => void; changed: (list: Saved[]) => void }) {
  return <li><button class="kept" onClick={() => put(entry.sql)} title={entry.sql}><code>{entry.sql.replace(/\s+/g, " ")}</code></button>
    <button class="quiet small" aria-label={`Forget ${entry.sql.slice(0, 60)}`} onClick={() => changed(saved.forget(entry.sql))}>{entry.kept ? "★" : "×"}</button></li>;
}

interface EditorBoxProps {
  start: string; tables: Table[]; snapshots: PageSnapshot[]; sql: { current: string }; editor: { current: Editor | undefined }; run: () => void;
}

/** A plain text area until the editor has come. */
function EditorBox({ start, tables, snapshots, sql, editor, run }: EditorBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const [ready, set] = useState(false);
  const latest = useRef(run);
  latest.current = run;
  const known = useRef<Record<string, string[]>>({});
  for (const s of snapshots) known.current[s.name] = s.columns;
  for (const t of tables) known.current[t.id] ??= [];
  useEffect(() => {
    let gone = false;
    void import("./editor").then(({ open }) => {
      if (gone) return;
      editor.current = open(box.current!, sql.current, {
        changed: text => { sql.current = text; saved.draft(text); },
        run: () => latest.current(),
        columns: async id => {
          if (!(id in known.current)) return undefined;
          if (!known.current[id]!.length) known.current[id] = (await get<Schema>(`/api/v2/schema/${encodeURIComponent(id)}`)).columns.map(c => c.name);
          return known.current[id];
        },
        tables: () => Object.keys(known.current),
      });
      set(true);
    });
    return () => { gone = true; editor.current?.end(); editor.current = undefined; };
  }, []);
  return <>
    {!ready && <textarea class="code" aria-label="SQL" rows={7} spellcheck={false} onInput={e => { sql.current = e.currentTarget.value; }}>{start}</textarea>}
    <div class="editor" hidden={!ready} ref={box} />
  </>;
}
