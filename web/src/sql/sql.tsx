// Statements, run at the source of their tables.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, Failure, get } from "../api";
import type { PageProps } from "../app";
import { shell } from "../format";
import { link, replace } from "../route";
import { asFailure, useAsked } from "../use";
import { Copy } from "../ui/copy";
import { Notice } from "../ui/notice";
import { Result } from "../ui/result";
import { saved, type Saved } from "./saved";
import type { Editor } from "./editor";
import type { PageRows, Schema, Table } from "../types";

export function Sql({ route }: PageProps) {
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
    ask<PageRows>("POST", "/api/page/query", { sql: text }, stop.signal).then(
      r => { setRows(r); setList(saved.ran(text)); },
      e => { if (!stop.signal.aborted) { setRows(undefined); fail(asFailure(e)); } },
    ).finally(() => setBusy(undefined));
  };
  const put = (text: string) => { sql.current = text; editor.current?.put(text); };
  return <>
    <div class="head"><div><h1>SQL</h1><p class="soft">One SELECT over tables of one source, run there.</p></div></div>
    <div class="sql">
      <div class="sql-main">
        <EditorBox start={start} tables={tables.data?.tables ?? []} sql={sql} editor={editor} run={run} />
        <div class="bar">
          <button class="primary" onClick={run} disabled={!!busy}>{busy ? "Running…" : "Run"}</button>
          {busy && <button onClick={() => busy.abort()}>Stop</button>}
          <span class="soft small"><kbd>Ctrl</kbd> <kbd>Enter</kbd></span>
          <span class="grow" />
          <Copy text={() => `da query --remote ${shell(sql.current.trim())}`} label="Copy da command" />
          <button class="quiet" onClick={() => setList(saved.keep(sql.current.trim()))}>Save</button>
        </div>
        {error && <Notice error={error} />}
        {rows && <Result rows={rows} name="query" />}
      </div>
      <aside class="sql-side" aria-label="Statements"><h2>Saved and recent</h2>
        {list.length === 0 && <p class="soft small">What you run stands here, in this browser only.</p>}
        <ul>{list.map(s => <Kept key={s.sql} entry={s} put={put} changed={setList} />)}</ul></aside>
    </div>
  </>;
}

function Kept({ entry, put, changed }: { entry: Saved; put: (sql: string) => void; changed: (list: Saved[]) => void }) {
  return <li><button class="kept" onClick={() => put(entry.sql)} title={entry.sql}><code>{entry.sql.replace(/\s+/g, " ")}</code></button>
    <button class="quiet small" aria-label={`Forget ${entry.sql.slice(0, 60)}`} onClick={() => changed(saved.forget(entry.sql))}>{entry.kept ? "★" : "×"}</button></li>;
}

interface EditorBoxProps {
  start: string; tables: Table[]; sql: { current: string }; editor: { current: Editor | undefined }; run: () => void;
}

/** A plain text area until the editor has come. */
function EditorBox({ start, tables, sql, editor, run }: EditorBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const [ready, set] = useState(false);
  const latest = useRef(run);
  latest.current = run;
  const known = useRef<Record<string, string[]>>({});
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
