// What statements can name, beside the editor: a click writes it there.
import { useState } from "preact/hooks";
import { count, plural } from "../format";
import { link } from "../route";
import { asFailure, useAsked, useSettled } from "../use";
import { get, type Failure } from "../api";
import { ofRows } from "../files/kind";
import { Notice } from "../ui/notice";
import { columnsOf } from "./known";
import { quoted } from "./text";
import type { Where } from "./sheets";
import type { FileList } from "../files/types";
import type { Model, PageSnapshot, PageTables, Table } from "../types";
import { sql as T } from "../texts/en/sql";
import { rich, say } from "../texts/say";

const most = 200; // tables at a time
const mostColumns = 100;

interface SchemaProps { where: Where; snapshots: PageSnapshot[]; insert: (text: string) => void; backticks: boolean;
  /** Takes a whole statement. */ take: (sql: string) => void }

export function Schema({ where, snapshots, insert, backticks, take }: SchemaProps) {
  const [words, setWords] = useState("");
  const settled = useSettled(words.trim(), 200);
  const tables = useAsked(
    signal =>
      get<PageTables>(
        `/api/page/tables?${new URLSearchParams({ q: settled.slice(0, 200), limit: String(most) })}`,
        signal,
      ),
    [settled],
  );
  const t = tables.data,
    mine = snapshots.filter(s => !s.damage && has(s.name, settled));
  const row = (name: string, kind: string, of?: Table) =>
    <One key={kind + name} name={name} about={of} kind={kind} insert={insert} backticks={backticks}
      found={t?.tables.find(x => x.id === name)?.columns} />;
  return <div class="schema">
    <label class="find">
      <span class="hidden">{T.findTableOrColumn}</span>
      <input type="search" placeholder={T.findTableOrColumn} value={words}
        onInput={e => setWords(e.currentTarget.value)} />
    </label>
    {where !== "source" && <>
      <h2>
        {rich(T.snapshots, { mine: <span class="soft">{count(mine.length)}</span> })}
      </h2>
      {mine.length ? <ul>{mine.map(s => row(s.name, T.snapshot2))}</ul>
        : <p class="soft small">{settled ? T.noneOfThatName : T.noneIsKeptYet}</p>}
    </>}
    {where !== "here" && <>
      <h2>{rich(T.tables2, { found: <span class="soft">{t && count(t.found)}</span> })}</h2>
      {tables.error && <Notice error={tables.error} />}
      <ul aria-busy={!t}>{t?.tables.map(x => row(x.id, T.table2, x))}</ul>
      {t && t.found > t.tables.length &&
        <p class="soft small">{plural(t.found - t.tables.length, T.nMoreSearchForThem)}</p>}
      {t && t.found === 0 &&
        <p class="soft small">{settled ? T.noTableHasThese : T.thereAreNoTables}</p>}
    </>}
    <Metrics words={settled} take={take} />
    <Files words={settled} />
  </div>;
}

/** The metrics: a click takes the statement that one becomes. */
function Metrics({ words, take }: { words: string; take: (sql: string) => void }) {
  const model = useAsked(signal => get<Model>("/api/v2/model", signal), []), [error, fail] = useState<Failure>();
  const metrics = model.data?.metrics.filter(m => !m.inner && has(m.name, words)) ?? [];
  if (!metrics.length) return null;
  return <>
    <h2>{rich(T.metrics, { metrics: <span class="soft">{count(metrics.length)}</span> })}</h2>
    {error && <Notice error={error} />}
    <ul>
      {metrics.map(m => <li key={m.name}>
        {m.unclear && <span class="soft small"><code>{m.name}</code>: {m.unclear}</span>}
        {!m.unclear && <button type="button" class="quiet name" title={m.description || m.label} onClick={() =>
          void get<{ sql: string }>(`/api/v2/model/metrics/${encodeURIComponent(m.name)}`)
            .then(s => { fail(undefined); take(s.sql); }, e => fail(asFailure(e)))}>
          <code>{m.name}</code>
        </button>}
      </li>)}
    </ul>
  </>;
}

/** Files of rows: a statement over one has a place beside it. They are asked for when somebody opens the list. */
function Files({ words }: { words: string }) {
  const [open, set] = useState(false);
  const files = useAsked(async signal => open ? get<FileList>("/api/files", signal) : undefined, [open]);
  const rows = files.data?.files.filter(f => ofRows.test(f.name) && has(f.name, words));
  return <details onToggle={e => set(e.currentTarget.open)}>
    <summary>{T.files}</summary>
    {files.error && <Notice error={files.error} />}
    <ul>
      {rows?.map(f => <li key={f.id}>
        <a class="name" href={link(["files", f.id, "table"],
          { show: "sql" })} title={say(T.sqlOver, { name: f.name })}>{f.name}</a>
      </li>)}
    </ul>
    {rows?.length === 0 && <p class="soft small">{say(T.noFileOfRows, { more: words && T.hasTheseWords })}</p>}
  </details>;
}

const has = (name: string, words: string) => name.toLowerCase().includes(words.toLowerCase());

interface OneProps {
  name: string;
  kind: string;
  about?: Table | undefined;
  found?: string[] | undefined;
  insert: (text: string) => void;
  backticks: boolean;
}

/** A table with its columns, once they are asked for. */
function One({ name, kind, about, found, insert, backticks }: OneProps) {
  const [open, set] = useState(false);
  const [all, showAll] = useState(false);
  const columns = useAsked(async () => open ? columnsOf(name) : undefined, [open, name]);
  const c = columns.data, text = quoted(name, backticks);
  const drag = (t: string) => ({ draggable: true,
    onDragStart: (e: DragEvent) => e.dataTransfer?.setData("text/plain", t) });
  return <li>
    <div class="schema-row">
      <button type="button" class="quiet twist" aria-expanded={open} aria-label={say(T.columnsOf, { name })}
        onClick={() => set(!open)}>
        {open ? "▾" : "▸"}
      </button>
      <button type="button" class="quiet name" title={[say(T.write,
        { text }), about?.description].filter(Boolean).join(": ")}
        onClick={() => insert(text)} {...drag(text)}>
        <code>{name}</code>
      </button>
      {about?.row_count != null && <span class="soft small">{count(about.row_count)}</span>}
    </div>
    {!open && found && found.length > 0 &&
      <p class="found small">{found.slice(0, 4).map(f => <code key={f}>{f}</code>)}</p>}
    {open && columns.error && <Notice error={columns.error} />}
    {open && <ul class="schema-columns" aria-label={say(T.columnsOf2, { kind, name })}>
      {c?.slice(0, all ? undefined : mostColumns).map(k =>
        <li key={k.name}>
          <button type="button" class="quiet name" title={say(T.write2,
            { name: quoted(k.name, backticks) })} onClick={() =>
            insert(quoted(k.name, backticks))} {...drag(quoted(k.name, backticks))}>
            <code>{k.name}</code>
            {k.type && <span class="soft type">{k.type}</span>}
          </button>
        </li>
      )}
      {c && !all && c.length > mostColumns && <li>
        <button type="button" class="quiet" onClick={() => showAll(true)}>{say(T.all,
          { length: count(c.length) })}</button>
      </li>}
    </ul>}
  </li>;
}
