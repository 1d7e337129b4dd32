// Statements, run at the source of their tables.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, type Failure, get } from "../api";
import type { PageProps } from "../app";
import { bytes, shell, usd } from "../format";
import { link, replace } from "../route";
import { useKept } from "../store";
import { asFailure, part, useAsked, useSettled } from "../use";
import { Copy } from "../ui/copy";
import { List } from "../ui/list";
import { Note, Notice } from "../ui/notice";
import { Pointer } from "../ui/pointer";
import { Result } from "../ui/result";
import { PriceLine } from "./price";
import { saved, type Saved } from "./saved";
import type { Editor } from "./editor";
import type { DeskPlan, PageRows, PageTables, PageSnapshot, QueryPrice, Schema, Table } from "../types";

type Where = "source" | "here" | "fetch";
const places: Record<Where, [label: string, title: string]> = {
  source: ["At the source", "The tables' own engine runs it"], here: ["Here", "Over the snapshots of this machine"],
  fetch: ["Fetch, then here", "What it needs is fetched first, and kept for the next query"],
};

/** What was asked for last, and what came of it. */
interface Run {
  sql?: string;
  where?: Where;
  at?: string;
  rows?: PageRows;
  plan?: DeskPlan;
  price?: QueryPrice;
  error?: Failure;
  stopped?: boolean;
  stop?: AbortController | undefined;
}

const longest = 2000; // characters of a statement that fit an address

export function Sql({ route, desk }: PageProps) {
  const snapshots = useAsked(async signal => desk ? get<PageSnapshot[]>("/api/page/desk/snapshots", signal) : [], [
    desk,
  ]);
  const [kept, keepWhere] = useKept<Where>("sql where", "source");
  const named = route.query.get("at") as Where | null, where = named && named in places ? named : kept;
  const start = route.query.get("q") ?? saved.draft();
  const sql = useRef(start);
  const [text, setText] = useState(start);
  const [list, setList] = useState(saved.list());
  const [run, setRun] = useKept<Run>("sql run", {});
  const editor = useRef<Editor | undefined>(undefined);
  const tables = useAsked(signal => get<PageTables>("/api/page/tables?limit=2000", signal), []);
  const statement = () => sql.current.trim().replace(/;\s*$/, "");
  const address = (w: Where) => {
    const q = statement();
    replace(link(["sql"], { q: q.length < longest ? q : undefined, at: w === "source" ? undefined : w }));
  };
  const setWhere = (w: Where) => {
    keepWhere(w);
    address(w);
  };
  /** Asks for something of the statement; what was there before is of another run. */
  const begin = (ask: (sql: string, signal: AbortSignal) => Promise<Partial<Run>>, w = where) => {
    const stop = new AbortController(), sql = statement();
    if (!sql) return;
    address(w);
    setRun({ stop, sql });
    ask(sql, stop.signal).then(
      made => setRun({ sql, where: w, at: String(Date.now()), ...made }),
      e => setRun(stop.signal.aborted ? { sql, stopped: true } : { sql, error: asFailure(e) }));
  };
  const query = (w: Where = where) =>
    begin(async (sql, signal) => {
      const rows = w === "source" ? await ask<PageRows>("POST", "/api/page/query", { sql }, signal)
        : await ask<PageRows>("POST", "/api/page/desk/query", { sql, fetch: w === "fetch" }, signal);
      setList(saved.ran(sql));
      return { rows };
    }, w);
  const explain = () =>
    begin(async (sql, signal) =>
      where === "source" ? { price: await ask<QueryPrice>("POST", "/api/page/price", { sql }, signal) }
        : { plan: await ask<DeskPlan>("POST", "/api/page/desk/plan", { sql }, signal) }
    );
  const command = () =>
    `da query ${where === "source" ? "--remote " : where === "fetch" ? "--fetch " : ""}${
      sql.current.trim().startsWith("-") ? "-- " : ""
    }${shell(sql.current.trim())}`;
  const put = (text: string) => {
    sql.current = text;
    editor.current?.put(text);
  };
  const busy = run.stop, of = text.trim().replace(/;\s*$/, "") === run.sql;
  return <>
    <div class="head">
      <div>
        <h1>SQL</h1>
        <p class="soft">
          {where === "source" ? "One SELECT over tables of one source, run there."
            : where === "here" ? "One SELECT over the snapshots of this machine."
            : "One SELECT over snapshots and tables of any source."}
        </p>
      </div>
    </div>
    <div class="sql">
      <div class="sql-main">
        <EditorBox start={start} tables={tables.data?.tables ?? []} snapshots={snapshots.data ?? []} sql={sql}
          editor={editor} run={() => query()} changed={setText} />
        {desk &&
          <div class="segments" role="group" aria-label="Where it runs">
            {(Object.keys(places) as Where[]).map(w =>
              <button key={w} aria-pressed={where === w} title={places[w][1]} onClick={() => setWhere(w)}>
                {places[w][0]}
              </button>
            )}
          </div>}
        <div class="bar">
          <button class="primary" onClick={() => query()} disabled={!!busy}>{busy ? "Running…" : "Run"}</button>
          <button onClick={explain} disabled={!!busy}>Plan</button>
          {busy && <button onClick={() => busy.abort()}>Stop</button>}
          <span class="soft small"><kbd>Ctrl</kbd> <kbd>Enter</kbd></span>
          <span class="grow" />
          <Copy text={command} label="Copy da command" />
          <button class="quiet" onClick={() => setList(saved.keep(sql.current.trim()))}>Save</button>
        </div>
        {!busy && <Price sql={text.trim().replace(/;\s*$/, "")} where={where} />}
        {text.length >= longest &&
          <p class="soft small">
            The statement is too long for the address of this page: a link to it does not hold it.
          </p>}
      </div>
      <aside class="sql-side" aria-label="Statements"><h2>Saved and recent</h2>
        {list.length === 0 && <p class="soft small">What you run is kept here, in this browser only.</p>}
        <ul>{list.map(s => <Kept key={s.sql} entry={s} put={put} changed={setList} />)}</ul>
      </aside>
      <div class="sql-below">
        {run.stopped && <p class="soft" role="status">Stopped. Nothing is shown of it.</p>}
        {!of && (run.rows || run.plan || run.price || run.error) && <Note>
          What is below is of another statement: <code>{run.sql!.replace(/\s+/g, " ").slice(0, 120)}</code>
        </Note>}
        {run.error && <Notice error={run.error}>
          <Pointer text={run.sql ?? ""} error={run.error} />
          {where === "here" && /^(not_local|unknown_snapshot|unknown_table)$/.test(run.error.kind || run.error.code) &&
            <p>
              <button onClick={() => {
                keepWhere("fetch");
                query("fetch");
              }}>
                Fetch, then here
              </button>
            </p>}
        </Notice>}
        {run.plan && <PlanView plan={run.plan} />}
        {run.price && <section>
          <h2>Plan</h2>
          <PriceLine price={run.price} />
        </section>}
        {run.rows && <div class={of ? "" : "before"}>
          <Result key={run.at} rows={run.rows} name="query"
            whole={{ sql: run.sql!,
              ...(run.where === "source" ? {} : { here: true, fetch: run.where === "fetch" }) }} />
        </div>}
      </div>
    </div>
  </>;
}

/** What the statement that is being typed would read, once it can be told. */
function Price({ sql, where }: { sql: string; where: Where }) {
  const settled = useSettled(sql, 700), whole = /^(select|with|from)\b.*\bfrom\b/is.test(settled);
  const price = useAsked(async signal => {
    if (!whole || where === "here") return undefined;
    if (where === "source") return ask<Sum>("POST", "/api/page/price", { sql: settled }, signal);
    const plan = await ask<DeskPlan>("POST", "/api/page/desk/plan", { sql: settled }, signal);
    const sum = (key: "estimated_scan_bytes" | "estimated_billed_bytes" | "bq_cost_estimate_usd") =>
      plan.tables.reduce<number | null>(
        (n, t) => !t.estimate ? n : n === null || t.estimate[key] == null ? null : n + t.estimate[key],
        0,
      );
    return { estimated_scan_bytes: sum("estimated_scan_bytes"), estimated_billed_bytes: sum("estimated_billed_bytes"),
      bq_cost_estimate_usd: sum("bq_cost_estimate_usd") };
  }, [settled, where]);
  const p = settled === sql ? price.data : undefined;
  if (where === "here") return <p class="soft small">Reads nothing at a source.</p>;
  // What is wrong with a half-typed statement is told when it runs.
  if (!p) return <p class="soft small">{whole && price.loading ? "Its price is asked…" : "\u00a0"}</p>;
  return <p class="soft small">
    Reads{" "}
    {p.estimated_scan_bytes == null ? "an unknown amount"
      : p.estimated_scan_bytes === 0 ? "nothing" : `at most ${bytes(p.estimated_scan_bytes)}`} at the source; billed:
    {" "}
    {p.bq_cost_estimate_usd != null ? usd(p.bq_cost_estimate_usd) : bytes(p.estimated_billed_bytes)}.
  </p>;
}

type Sum = Pick<QueryPrice, "estimated_scan_bytes" | "estimated_billed_bytes" | "bq_cost_estimate_usd">;

/** Where the rows of a statement would come from. */
function PlanView({ plan }: { plan: DeskPlan }) {
  const from: Record<string, string> = { here: "this machine", fetch: "its source",
    source: "its source, which runs the statement", nothing: "no row is needed" };
  const place = (t: DeskPlan["tables"][number]) =>
    t.reuse
      ? (t.reuse.part ? "an earlier query" : `the snapshot ${t.reuse.snapshot}`) +
        (t.from === "remainder" ? ", and the rest from its source" : "")
      : from[t.from] ?? t.from;
  return <section>
    <h2>Plan</h2>
    <List name="Plan" head={["Table", "From", "Columns", "Condition", "Reads", "Cost"]} rows={plan.tables}
      empty="It reads no table." numbers={[4, 5]}
      row={t => [t.table_id, place(t), t.select?.join(", ") ?? "", t.where ? <code>{t.where}</code> : "",
        t.estimate ? bytes(t.estimate.estimated_scan_bytes) : "0 bytes",
        t.estimate ? usd(t.estimate.bq_cost_estimate_usd) : "free"]} />
    {plan.tables.flatMap(t =>
      (t.local ?? []).map(text =>
        <p key={t.table_id + text} class="soft small">{t.table_id}: only checked here: {text}</p>
      )
    )}
  </section>;
}

function Kept({ entry, put, changed }: { entry: Saved; put: (sql: string) => void; changed: (list: Saved[]) => void }) {
  return <li>
    <button class="kept" onClick={() => put(entry.sql)} title={entry.sql}>
      <code>{entry.sql.replace(/\s+/g, " ")}</code>
    </button>
    {entry.kept &&
      <button class="quiet small" aria-label={`Do not keep ${entry.sql.slice(0, 60)}`}
        title="Kept: press to keep it no longer" onClick={() => changed(saved.release(entry.sql))}>
        ★
      </button>}
    {!entry.kept &&
      <button class="quiet small" aria-label={`Forget ${entry.sql.slice(0, 60)}`} onClick={() =>
        changed(saved.forget(entry.sql))}>
        ×
      </button>}
  </li>;
}

interface EditorBoxProps {
  start: string;
  tables: Table[];
  snapshots: PageSnapshot[];
  sql: { current: string };
  editor: { current: Editor | undefined };
  run: () => void;
  changed: (text: string) => void;
}

/** A plain text area until the editor has come. */
function EditorBox({ start, tables, snapshots, sql, editor, run, changed }: EditorBoxProps) {
  const box = useRef<HTMLDivElement>(null), plain = useRef<HTMLTextAreaElement>(null);
  const [error, fail] = useState<Failure>();
  const [ready, set] = useState(false);
  const latest = useRef(run);
  latest.current = run;
  const known = useRef<Record<string, string[]>>({}), flavors = useRef<string[]>([]);
  flavors.current = tables.map(t => t.sql_flavor);
  for (const s of snapshots) known.current[s.name] = s.columns;
  for (const t of tables) known.current[t.id] ??= [];
  useEffect(() => {
    let gone = false;
    part(() => import("./editor")).then(({ open }) => {
      if (gone) return;
      const focused = document.activeElement === plain.current;
      editor.current = open(box.current!, sql.current, {
        changed: text => { sql.current = text; saved.draft(text); changed(text); },
        run: () => latest.current(),
        columns: async id => {
          if (!(id in known.current)) return undefined;
          if (!known.current[id]!.length) {
            known.current[id] = (await get<Schema>(`/api/v2/schema/${encodeURIComponent(id)}`)).columns.map(c =>
              c.name
            );
          }
          return known.current[id];
        },
        tables: () => Object.keys(known.current),
        backticks: () => flavors.current.some(f => /mysql|bigquery/.test(f)),
      });
      set(true);
      if (focused) setTimeout(() => editor.current?.focus()); // once it is in view
    }, e => fail(asFailure(e)));
    return () => { gone = true; editor.current?.end(); editor.current = undefined; };
  }, []);
  return <>
    {error && <Notice error={error} />}
    {!ready && <textarea ref={plain} class="code" aria-label="SQL" rows={7} spellcheck={false} onInput={e => {
      sql.current = e.currentTarget.value;
      changed(sql.current);
    }}>
      {start}
    </textarea>}
    <div class="editor" hidden={!ready} ref={box} />
  </>;
}
