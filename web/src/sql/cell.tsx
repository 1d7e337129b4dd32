// One cell of a sheet: a statement, what it costs, and what came of it.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Failure } from "../api";
import { shell } from "../values";
import { useKept } from "../store";
import { asFailure, part } from "../use";
import { Copy } from "../ui/copy";
import { More } from "../ui/more";
import { Note, Notice } from "../ui/notice";
import { Origins } from "../ui/origin";
import { Pointer } from "../ui/pointer";
import { Result } from "../ui/result";
import { Waits } from "../ui/waits";
import { SaveQuestion } from "../known/save";
import { costs, PlanView, Price, PriceLine } from "./price";
import { begin, explain, mistakeIn, query, suggestionsOf, type Run } from "./run";
import { bare, parametersIn, quoted, spaced, type Composed } from "./text";
import type { Editor } from "./editor";
import type { Names } from "./complete";
import type { Came, Stated } from "./saved";
import type { Cell, Where } from "./sheets";
import { sql as T } from "../texts/en/sql";
import { say } from "../texts/say";

/** What a sheet may do with a cell. */
export interface Handle {
  run: (where?: Where) => Promise<boolean>;
  stop: () => void;
  editor: { current: Editor | undefined };
}

/** Where a cell is, and what moves it. */
interface Arranged { at: number; of: number; move: (by: number) => void; remove: () => void }

interface CellProps extends Arranged {
  cell: Cell;
  /** Of its rows, as a file too. */ name: string;
  where: Where;
  /** It came by a link: it runs if that costs nothing. */ auto: boolean;
  /** text: as it is written, without values. */ composed: Composed & { text: string };
  /** Of the sheet's parameters. */ values: Record<string, string>;
  names: Names;
  handle: (h: Handle | undefined) => void;
  change: (c: Cell) => void;
  focused: () => void;
  ran: (s: Stated, came: Came) => void;
  save: (s: Stated) => void;
  /** Another place for the sheet, where this cell runs then. */
  fetchHere: () => void;
  /** It, and what is below. */ runFrom: (() => void) | undefined;
}

export function CellView(
  { cell, name, where, auto, at, of, composed, values, names, handle, change, focused, ran, save, fetchHere, runFrom,
    move, remove }: CellProps,
) {
  const [run, setRun] = useKept<Run>("run " + cell.id, {});
  const editor = useRef<Editor | undefined>(undefined);
  const latest = useRef({ cell, where, composed, values, change, focused, ran, run });
  latest.current = { cell, where, composed, values, change, focused, ran, run };
  const busy = run.stop, sql = composed.sql, left = "left-" + cell.id;
  /** The statement with the values that it has now, those of the cells that it reads too. */
  const stated = (): Stated => {
    const { cell, composed, values } = latest.current;
    const names = parametersIn([composed.text]);
    return { sql: bare(cell.sql), values: Object.fromEntries(names.map(p => [p, values[p] ?? ""])) };
  };
  const start = (ask: typeof query | typeof explain, w = latest.current.where) => {
    const stop = new AbortController(), { sql, text, fault } = latest.current.composed;
    editor.current?.mark();
    if (!sql) return Promise.resolve(true);
    const own = stated(), at = Date.now();
    return begin(sql, w, stop, latest.current.run, r => setRun({ text, ...r }), async () => {
      if (fault) throw fault;
      if (ask === explain) return explain(sql, w, stop.signal);
      try {
        const rows = await query(sql, w, stop.signal), ms = rows.elapsed_ms ?? Date.now() - at;
        latest.current.ran(own, { at, rows: rows.shown, more: rows.more, ms });
        return { rows };
      } catch (e) {
        if (!stop.signal.aborted) latest.current.ran(own, { at, ms: Date.now() - at, error: asFailure(e).message });
        throw e;
      }
    });
  };
  const mine = useRef<Handle>({} as Handle);
  Object.assign(mine.current, { run: (w?: Where) => start(query, w), stop: () => busy?.abort(), editor });
  useLayoutEffect(() => { handle(mine.current); return () => handle(undefined); }, []);
  const same = sql === run.sql, wrong = run.error?.details.parameter;
  // What is wrong with a value is told as long as it is.
  const error = !wrong ? run.error : composed.fault?.details.parameter === wrong ? composed.fault : undefined;
  const [typed, tellMistake] = useState<{ sql: string; error: Failure }>();
  const about = same ? error : typed?.sql === sql ? typed.error : undefined;
  const mistake = about && mistakeIn(sql, about);
  const written = mistake && composed.origin(mistake.from),
    here = written?.cell === at ? { from: written.at, to: written.at + mistake!.to - mistake!.from } : undefined;
  const [ready, setReady] = useState(false);
  useEffect(() => {
    if (ready) editor.current?.mark(here);
  }, [here?.from, here?.to, ready]);
  useEffect(() => {
    if (!auto || !sql || composed.fault || where !== "source" || run.at || run.stop || run.error) return undefined;
    const stop = new AbortController();
    costs(sql, where, stop.signal).then(p => {
      const now = latest.current;
      if (p.free && !stop.signal.aborted && now.composed.sql === sql && !now.run.stop && !now.run.at) void start(query);
    }, () => {}); // what is wrong with it is told when somebody runs it
    return () => stop.abort();
  }, [auto]);
  useEffect(() => {
    const field = document.querySelector<HTMLInputElement>(`.parameters [name="$${String(wrong)}"]`);
    if (!field) return;
    field.focus();
    const at = run.error!.details.at; // what cannot be read
    if (typeof at === "number") field.setSelectionRange(at, field.value.length);
  }, [run.error]);
  const command = () =>
    `da query ${where === "source" ? "--remote " : where === "fetch" ? "--fetch " : ""}${
      sql.startsWith("-") ? "-- " : ""
    }${shell(sql)}`;
  return <section class="cell" aria-label={cell.name} onFocusCapture={focused}>
    <EditorBox cell={cell} names={names} editor={editor} ready={() => setReady(true)} run={() => {
      void start(query);
    }} changed={text => {
      // Order and conditions are of the rows of one statement.
      const { look } = latest.current.cell;
      latest.current.change({ ...latest.current.cell, sql: text, look: look && { ...look, part: undefined } });
    }}
      focused={() => latest.current.focused()} />
    <div class="bar">
      <button class="primary" data-do={T.run + (of > 1 ? " " + cell.name : "")} aria-describedby={left} onClick={() => {
        void start(query);
      }} disabled={!!busy}>
        {busy ? T.running : T.run}
      </button>
      <button data-do={T.plan + (of > 1 ? " " + cell.name : "")} onClick={() => {
        void start(explain);
      }} disabled={!!busy}>
        {T.plan}
      </button>
      {busy && <Waits key={run.sql} what={T.rowsCome} stop={busy} does={T.stop + (of > 1 ? " " + cell.name : "")} />}
      {!busy && !(same && error) && <Price sql={sql} where={where} left={left} wrong={tellMistake} />}
      <span class="grow" />
      {of > 1 && <label class="cell-name">
        <span class="hidden">{T.nameOfCell}</span>@<input value={cell.name} spellcheck={false}
          title={T.cellsBelowReadIts} onChange={e =>
          change({ ...cell, name: e.currentTarget.value.replace(/\W/g, "") || cell.name })} />
      </label>}
      <More of={cell.name}>
        {of > 1 && <Moves name={cell.name} at={at} of={of} move={move} remove={remove} />}
        {at > 0 && <button class="quiet" disabled={!runFrom} onClick={runFrom}>{T.runFromHere}</button>}
        <Copy text={command} label={T.copyDaCommand} />
        <button class="quiet" onClick={() => save(stated())}>{T.save}</button>
        <SaveQuestion sql={/@\w/.test(cell.sql) ? sql : bare(cell.sql)} values={values} remote={where === "source"} />
      </More>
    </div>
    {run.stopped && <p class="soft" role="status">
      {say(T.stopped, { what: run.rows ? T.belowIsResultOfRun : T.nothingIsShownOfIt })}
    </p>}
    {!same && (run.rows || run.plan || run.price || error) && <Note>
      {say(T.belowIsWhatGave, { what: run.text === composed.text ? T.otherValues : T.anotherStatement })}{" "}
      <code>{run.sql!.replace(/\s+/g, " ").slice(0, 120)}</code>
    </Note>}
    {error && <Notice error={error}>
      {here &&
        <p class="chips">
          {suggestionsOf(error).map(s =>
            <button key={s} class="chip" onClick={() =>
              editor.current?.exchange(here.from, here.to, quoted(s, names.backticks()))}>
              <code>{s}</code>
            </button>
          )}
        </p>}
      <Pointer text={run.sql ?? ""} error={error} />
      {where === "here" && /^(not_local|unknown_snapshot|unknown_table)$/.test(error.kind || error.code) && <p>
        <button onClick={fetchHere}>{T.fetchThenHere}</button>
      </p>}
    </Notice>}
    {run.plan && <PlanView plan={run.plan} />}
    {run.price && <section>
      <h2>{T.plan}</h2>
      <PriceLine price={run.price} left={left + "-plan"} />
    </section>}
    {run.rows && <div class={same ? "" : "before"}><Origins.Provider value={{ name, sql: run.sql!,
      where: run.where ?? where, at: Number(run.at), caveats: run.rows.caveats }}>
      <Result key={run.at} id={run.at!} rows={run.rows} name={name} before={cell.look}
        instead={sql => {
          editor.current?.put(sql);
        }}
        looked={look => latest.current.change({ ...latest.current.cell, look })}
        whole={{ sql: run.sql!, ...(run.where === "source" ? {} : { here: true, fetch: run.where === "fetch" }) }} />
    </Origins.Provider></div>}
  </section>;
}

/** Words between the statements, in Markdown. */
export function TextCell({ cell, change, ...arranged }: Arranged & { cell: Cell; change: (c: Cell) => void }) {
  return <section class="cell" aria-label={cell.name}>
    <textarea aria-label={say(T.wordsOf,
      { name: cell.name })} rows={3} value={cell.text} placeholder={T.wordsInMarkdown}
      onInput={e => change({ ...cell, text: e.currentTarget.value })} />
    <div class="bar">
      <span class="grow" />
      <Moves name={cell.name} {...arranged} />
    </div>
  </section>;
}

function Moves({ name, at, of, move, remove }: Arranged & { name: string }) {
  return <span class="moves">
    <button class="quiet" aria-label={say(T.moveUp, { name })} disabled={at === 0} onClick={() => move(-1)}>↑</button>
    <button class="quiet" aria-label={say(T.moveDown,
      { name })} disabled={at === of - 1} onClick={() => move(1)}>↓</button>
    <button class="quiet" aria-label={say(T.remove, { name })} onClick={remove}>×</button>
  </span>;
}

interface EditorBoxProps {
  cell: Cell; names: Names; editor: { current: Editor | undefined }; run: () => void; changed: (text: string) => void;
  ready: () => void; focused: () => void;
}

/** What can be done with the plain field, as with the editor that comes later. */
function ofField(field: HTMLTextAreaElement): Editor {
  const exchange = (from: number, to: number, text: string) => {
    field.setRangeText(text, from, to, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  };
  return {
    exchange, put: text => exchange(0, field.value.length, text), mark: () => {}, end: () => {},
    insert: text => exchange(field.selectionStart, field.selectionEnd,
      spaced(field.value.slice(0, field.selectionStart), text, field.value.slice(field.selectionEnd))),
    focus: (from = field.value.length, to = from) => {
      field.setSelectionRange(from, to);
      field.focus();
    },
  };
}

/** A plain text area until the editor has come. */
function EditorBox({ cell, names, editor, run, changed, ready, focused }: EditorBoxProps) {
  const box = useRef<HTMLDivElement>(null), plain = useRef<HTMLTextAreaElement>(null), sql = useRef(cell.sql);
  const [error, fail] = useState<Failure>();
  const [there, set] = useState(false);
  const latest = useRef({ run, names }), composing = useRef(false);
  latest.current = { run, names };
  useLayoutEffect(() => {
    let gone = false;
    editor.current = ofField(plain.current!);
    if (!cell.sql) plain.current!.focus(); // who makes a sheet or a cell goes on to write it
    /** Puts the editor in the place of the field within one task: no key can come between. */
    const arrive = (code: typeof import("./editor")) => {
      const field = plain.current;
      if (gone || !box.current || !field) return;
      if (composing.current) { // an input method would lose what it has begun
        field.addEventListener("compositionend", () => setTimeout(arrive, 0, code), { once: true });
        return;
      }
      const had = document.activeElement === field, { selectionStart: from, selectionEnd: to, value } = field;
      field.hidden = true;
      box.current.hidden = false;
      sql.current = value;
      editor.current = code.open(box.current, value, {
        label: say(T.sqlOf, { name: cell.name }), changed: text => { sql.current = text; changed(text); }, focused,
        run: () => latest.current.run(),
        tables: words => latest.current.names.tables(words), columns: t => latest.current.names.columns(t),
        joins: t => latest.current.names.joins(t), repeats: (t, c) => latest.current.names.repeats(t, c),
        values: (t, c) => latest.current.names.values(t, c), backticks: () => latest.current.names.backticks(),
      });
      if (had) editor.current.focus(from, to);
      set(true);
      ready();
    };
    part(() => import("./editor")).then(arrive, e => fail(asFailure(e)));
    return () => { gone = true; editor.current?.end(); editor.current = undefined; };
  }, []);
  return <>
    {error && <Notice error={error} />}
    {!there && <textarea ref={plain} class="code" aria-label={say(T.sqlOf,
      { name: cell.name })} rows={4} spellcheck={false}
      onCompositionStart={() => { composing.current = true; }} onCompositionEnd={() => { composing.current = false; }}
      onInput={e => { sql.current = e.currentTarget.value; changed(sql.current); }}>{cell.sql}</textarea>}
    <div class="editor" hidden={!there} ref={box} />
  </>;
}
