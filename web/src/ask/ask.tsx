// Questions in words: conversations at the left, what is said in the middle, what is done at the right.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, get } from "../api";
import type { PageProps } from "../app";
import { Chart } from "../chart/chart";
import { bytes, count, isNumber, time } from "../format";
import { link, replace } from "../route";
import { asFailure, useAsked } from "../use";
import { Empty, Note, Notice, Waiting } from "../ui/notice";
import { Result } from "../ui/result";
import { empty, follow, recall, type Talk } from "./conversation";
import { stream } from "./events";
import { Drop, useFiles } from "../files/panel";
import { Markdown } from "./markdown";
import type { AgentChart, AgentRecord, Conversation, Frame, Health } from "./types";
import type { Value } from "../types";

export function Ask({ route }: PageProps) {
  const health = useAsked(signal => get<Health>("/api/agent/health", signal), []);
  if (health.error?.kind === "no_such_route" || health.data?.status === "off") return <Off />;
  if (health.error) return <Notice error={health.error} />;
  if (!health.data) return <Waiting what="the model" />;
  return <Talking id={route.path[1] ?? ""} model={health.data.model ?? ""} />;
}

function Off() {
  return <Empty whole title="No model is configured">
    <p>Questions in words need a model, and none is used unless you name one: nothing leaves this server before.</p>
    <p>Name it in the section <code>agent</code> of the instance file, or of <code>~/.agnes/config</code> for <code>da ui</code>. All else on this page works without.</p>
  </Empty>;
}

function Talking({ id, model }: { id: string; model: string }) {
  const list = useAsked(signal => get<{ conversations: Conversation[] }>("/api/agent/conversations", signal), []);
  const [talk, set] = useState<Talk>(empty);
  const [tab, setTab] = useState<"summary" | "data" | "charts">("summary");
  const [text, setText] = useState("");
  const running = useRef<AbortController | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const shown = useRef("");
  useEffect(() => {
    if (id === shown.current) return;
    running.current?.abort();
    shown.current = id;
    set(empty);
    if (!id) return;
    get<{ records: AgentRecord[] }>(`/api/agent/conversations/${encodeURIComponent(id)}`).then(
      c => { if (shown.current === id) set(recall(id, c.records)); },
      e => { if (shown.current === id) set({ ...empty, failure: asFailure(e) }); });
  }, [id]);
  useEffect(() => () => running.current?.abort(), []);

  // An empty message goes on with a turn that did not come to its end.
  const say = async (message: string) => {
    const stop = new AbortController();
    running.current = stop;
    setBusy(true);
    set(t => { const { failure: _, ...rest } = t; return { ...rest, status: "Thinking…", said: message ? [...t.said, { who: "user", text: message }] : t.said }; });
    let over = false;
    try {
      await stream({ message, ...(talk.id ? { conversation: talk.id } : {}) }, e => {
        if (e.type === "reply" || e.type === "error") over = true;
        if (e.answer) { shown.current = e.answer.conversation; replace(link(["ask", e.answer.conversation])); }
        if (!stop.signal.aborted) set(t => follow(t, e));
      }, stop.signal);
      if (!over) throw new Error("the line was cut before the answer was whole");
    } catch (e) {
      if (stop.signal.aborted) set(t => ({ ...t, status: "", notes: [...t.notes, "Stopped by you."] }));
      else set(t => ({ ...t, status: "", failure: asFailure(e) }));
    } finally {
      setBusy(false);
      list.again();
    }
  };
  const submit = () => {
    const message = text.trim();
    if (!message || busy) return;
    setText("");
    setTab("summary");
    void say(message);
  };
  return <div class="ask">
    <Conversations list={list.data?.conversations ?? []} here={talk.id} changed={list.again} />
    <div class="ask-main">
      <div class="head"><div><h1>Ask</h1><p class="soft">{model} works with your rights, and no more.</p></div></div>
      <div class="segments" role="group" aria-label="Show">
        <button aria-pressed={tab === "summary"} onClick={() => setTab("summary")}>Summary</button>
        <button aria-pressed={tab === "data"} onClick={() => setTab("data")}>Data {talk.frames.length || ""}</button>
        <button aria-pressed={tab === "charts"} onClick={() => setTab("charts")}>Charts {talk.charts.length || ""}</button>
      </div>
      {tab === "summary" && <Summary talk={talk} busy={busy} />}
      {tab === "data" && (talk.frames.length ? talk.frames.map((f, i) => <FrameView key={talk.frames.length - i} frame={f} />) : <Empty title="No tables yet"><p>Tables that the model shows come here.</p></Empty>)}
      {tab === "charts" && (talk.charts.length ? talk.charts.map((c, i) => <ChartView key={talk.charts.length - i} chart={c} />) : <Empty title="No charts yet"><p>Charts that the model draws come here.</p></Empty>)}
      {talk.failure && <Notice error={talk.failure}>{talk.id && !busy && <p><button onClick={() => { void say(""); }}>Go on</button></p>}</Notice>}
      <form class="say" onSubmit={e => { e.preventDefault(); submit(); }}>
        <label class="grow"><span class="hidden">Your question</span>
          <textarea rows={2} placeholder="Ask about your data" value={text} onInput={e => setText(e.currentTarget.value)}
            onKeyDown={e => { if (e.key === "Enter" && !e.shiftKey && !e.isComposing) { e.preventDefault(); submit(); } }} /></label>
        {busy ? <button type="button" class="danger" onClick={() => running.current?.abort()}>Stop</button> : <button class="primary" disabled={!text.trim()}>Ask</button>}
      </form>
    </div>
    <Activity talk={talk} busy={busy} />
  </div>;
}

function Conversations({ list, here, changed }: { list: Conversation[]; here: string; changed: () => void }) {
  const remove = (id: string) => { void ask("POST", "/api/agent/reset", { conversation: id }).then(() => { if (id === here) location.hash = "#/ask"; changed(); }); };
  return <aside class="ask-side" aria-label="Conversations">
    <div class="bar"><h2>Conversations</h2><span class="grow" /><a class="button" href="#/ask">New</a></div>
    {list.length === 0 && <p class="soft small">Such as: “Which airports had the longest delays?” Say which table you mean if you know it.</p>}
    <AskFiles />
    <ul>{list.map(c => <li key={c.id}><a class="kept" href={link(["ask", c.id])} aria-current={c.id === here ? "page" : undefined}><span>{c.question || "…"}</span><span class="soft small">{time(c.last)}</span></a>
      <button class="quiet small" aria-label={`Delete ${c.question}`} onClick={() => remove(c.id)}>×</button></li>)}</ul>
  </aside>;
}

/** The files that the model can work with. */
function AskFiles() {
  const files = useFiles();
  if (!files.data) return null; // the page of files says why
  return <>
    <Drop done={files.again} />
    {files.data.files.length > 0 && <p class="chips small">{files.data.files.slice(0, 12).map(f => <a key={f.id} class="button chip" href="#/files">{f.name}</a>)}
      {files.data.files.length > 12 && <a href="#/files">{files.data.files.length - 12} more</a>}</p>}
  </>;
}

function Summary({ talk, busy }: { talk: Talk; busy: boolean }) {
  return <div class="talk" role="log" aria-label="Conversation" aria-busy={busy}>
    {talk.said.length === 0 && !busy && <Empty title="Ask about your data"><p>The model looks for tables, prices parts, fetches and queries them. You see each step.</p></Empty>}
    {talk.said.map((s, i) => <div key={i} class={"said " + s.who}>
      <span class="hidden">{s.who === "user" ? "You:" : "Model:"}</span>
      {s.who === "user" ? <p>{s.text}</p> : <Markdown text={s.text} />}
      {s.note && <Note kind="warn">{s.note}</Note>}
      {s.receipt && <details><summary>Receipt</summary><pre>{s.receipt}</pre></details>}
    </div>)}
    {talk.status && <p class="soft" role="status">{talk.status}</p>}
  </div>;
}

function Activity({ talk, busy }: { talk: Talk; busy: boolean }) {
  return <aside class="ask-side activity" aria-label="Activity"><h2>Activity</h2>
    {talk.answer && <dl class="figures"><div><dt>Tokens</dt><dd>{count(talk.answer.total_tokens)}</dd></div>
      {talk.answer.total_cost != null && <div><dt>Cost</dt><dd>${talk.answer.total_cost.toFixed(4)}</dd></div>}</dl>}
    {talk.steps.length === 0 && <p class="soft small">{busy ? "Nothing yet." : "Tool calls with their arguments and times come here."}</p>}
    <ol>{talk.steps.map((s, i) => <li key={i} class={s.state}><strong>{s.tool}</strong>
      <span class="soft small">{s.state === "running" ? "running…" : `${s.state === "failed" ? "failed, " : ""}${s.ms ?? 0} ms${s.bytes ? `, ${bytes(s.bytes)}` : ""}`}</span>
      {s.args && <code class="small">{s.args.length > 400 ? s.args.slice(0, 400) + "…" : s.args}</code>}</li>)}</ol>
    {talk.notes.map((n, i) => <Note key={i}>{n}</Note>)}
  </aside>;
}

/** A table of the agent's as a result. */
function columnsOf(f: Frame) { return f.columns.map((name, i) => ({ name, type: f.column_types[i] ?? "", numeric: isNumber(f.column_types[i] ?? "") })); }

function FrameView({ frame: f }: { frame: Frame }) {
  const [rows] = useState(() => ({ columns: columnsOf(f), rows: f.rows, shown: f.rows.length, more: f.rows_total > f.rows.length, warnings: [], elapsed_ms: 0 }));
  return <section><h2>{f.logical_name}</h2><Result rows={rows} name={f.logical_name} />{f.sql && <details><summary>SQL</summary><pre>{f.sql}</pre></details>}</section>;
}

function ChartView({ chart: c }: { chart: AgentChart }) {
  // One row for each point of each series, as the drawing takes them.
  const [drawn] = useState(() => {
    const at = (name: string) => c.data.columns.indexOf(name), x = at(c.x_field);
    const rows: Value[][] = c.series.flatMap(s => c.data.rows.map(r => [r[x] ?? null, s.name, r[at(s.y_field)] ?? null]));
    const type = c.data.column_types[x] ?? "";
    return { rows, columns: [{ name: c.x_field, type, numeric: isNumber(type) }, { name: "series", type: "text", numeric: false }, { name: c.series.length === 1 ? c.series[0]!.name : "value", type: "double", numeric: true }] };
  });
  const kind = c.chart_type === "line" ? "line" as const : c.chart_type === "scatter" ? "point" as const : "bar" as const;
  return <section><h2>{c.title || c.logical_name}</h2>
    <Chart {...drawn} name={c.logical_name} initial={{ kind, x: 0, y: 2, by: c.series.length > 1 ? 1 : -1, grouped: c.chart_type !== "stacked_column" }} />
    {c.note && <p class="soft">{c.note}</p>}</section>;
}
