// One file, looked into: rows of a table, the text of a document, a picture.
import { useEffect, useState } from "preact/hooks";
import type { FunctionComponent } from "preact";
import { get, send, type Failure } from "../api";
import { bytes, count, time } from "../format";
import type { Route } from "../route";
import { asFailure, part, useAsked } from "../use";
import { Note, Notice, Waiting, Warnings } from "../ui/notice";
import { Tabs } from "../ui/tabs";
import { Change } from "./change";
import { Download } from "./download";
import { kindOf, ofRows } from "./kind";
import { FileTable } from "./table";
import { address } from "./transfer";
import type { Caveat } from "../types";
import type { FileInfo } from "./types";
import { files as T } from "../texts/en/files";
import { say } from "../texts/say";

type View = "table" | "text" | "picture" | "look" | "change";
const labels: Record<View, string> = { table: T.table, text: T.text, picture: T.picture, look: T.look,
  change: T.change };

/** How a file can be looked at, the likeliest way first. */
function viewsOf(f: FileInfo): View[] {
  const rows = ofRows.test(f.name) || f.kind === "spreadsheet";
  switch (f.kind) {
    case "image": return ["picture", "change"];
    case "text": return rows ? ["table", "text"] : ["text", "table"];
    case "document": case "presentation": case "pdf": return ["text", "look", "change"];
    default: return rows ? f.kind === "spreadsheet" ? ["table", "look", "change"] : ["table"] : [];
  }
}

export function OneFile({ id, route }: { id: string; route: Route }) {
  const info = useAsked(signal => get<FileInfo>(`/api/files/${encodeURIComponent(id)}`, signal), [id]);
  const f = info.data;
  useEffect(() => { if (f) document.title = `${f.name} · ${T.files} · da`; }, [f?.name]);
  if (info.error) return <Notice error={info.error}><p><a href="#/files">{T.toFiles}</a></p></Notice>;
  if (!f) return <Waiting what={T.file3} />;
  const views = viewsOf(f), view = views.includes(route.path[2] as View) ? route.path[2] as View : views[0];
  return <>
    <nav class="crumbs" aria-label={T.way}>
      <a href="#/files">{T.files}</a>
    </nav>
    <div class="head">
      <div>
        <h1>{f.name}</h1>
        <p class="soft small facts">
          <span>{kindOf(f)}</span>
          <span>{bytes(f.size)}</span>
          <span>{say(T.version, { version: count(f.version) })}</span>
          <span>{time(f.modified_on)}</span>
        </p>
      </div>
      <div class="bar">
        <Download file={f} />
      </div>
    </div>
    {f.problem && <Note kind="warn">{f.problem}</Note>}
    {views.length > 1 && <Tabs base={["files", id]} active={view!} tabs={views.map(v => [v, labels[v]])} />}
    {!view &&
      <p class="soft">{T.nothingCanBeShown}</p>}
    {view === "table" && <FileTable key={f.sha256} id={id} route={route} />}
    {view === "text" && <FileText key={f.sha256} id={id} />}
    {view === "picture" && <Picture key={f.sha256} file={f} />}
    {view === "look" && <Look key={f.sha256} file={f} />}
    {view === "change" && <Change file={f} done={info.again} />}
  </>;
}

/** How a page, slide or sheet looks, as LibreOffice or PDFium draws it. */
function Look({ file: f }: { file: FileInfo }) {
  const sheets = (f.content as { sheets?: { name: string; hidden?: boolean }[] } | undefined)?.sheets?.filter(s =>
    !s.hidden
  );
  const [page, setPage] = useState(1);
  const [sheet, setSheet] = useState(sheets?.[0]?.name);
  const drawn = useAsked(async signal => {
    const query = new URLSearchParams(sheet === undefined ? [["page", `${page}`]] : [["sheet", sheet]]);
    const answer = await send("GET", `/api/files/${encodeURIComponent(f.id)}/picture?${query}`, undefined, signal);
    return { pages: Number(answer.headers.get("X-Agnes-Pages")), at: URL.createObjectURL(await answer.blob()) };
  }, [f.id, page, sheet]);
  const at = drawn.data?.at, what = f.kind === "presentation" ? T.slide : T.page;
  useEffect(() => () => { if (at) URL.revokeObjectURL(at); }, [at]);
  const pages = drawn.data?.pages ?? page;
  return <>
    {sheets && sheets.length > 1 &&
      <label class="bar">
        {T.sheet}
        <select value={sheet} onChange={e => setSheet(e.currentTarget.value)}>
          {sheets.map(s => <option key={s.name}>{s.name}</option>)}
        </select>
      </label>}
    {!sheets &&
      <div class="bar">
        <button class="quiet" disabled={page < 2} onClick={() => setPage(page - 1)}>{T.before}</button>
        <span aria-live="polite">{say(T.of, { what, page: count(page), pages: count(pages) })}</span>
        <button class="quiet" disabled={page >= pages} onClick={() => setPage(page + 1)}>{T.next}</button>
      </div>}
    {drawn.error && <Notice error={drawn.error} />}
    {!drawn.data && !drawn.error && <Waiting what={T.picture2} lines={8} />}
    {at && <img class="picture" src={at}
      alt={sheet === undefined ? say(T.of2, { what, page, name: f.name }) : say(T.of3, { sheet, name: f.name })} />}
    <p class="soft small">
      {T.drawnByProgramsOfServer}
    </p>
  </>;
}

/** What a file says; content.Reading in Go. */
interface Reading {
  kind: string; content?: string; truncated: boolean; lines?: { total_lines: number };
  text?: { pages: { page: number; text: string }[]; next_page?: number };
  caveats: Caveat[];
}

function FileText({ id }: { id: string }) {
  const read = useAsked(signal => get<Reading>(`/api/files/${encodeURIComponent(id)}/text`, signal), [id]);
  const r = read.data;
  if (read.error) return <Notice error={read.error} />;
  if (!r) return <Waiting what={T.text2} lines={8} />;
  return <>
    {r.truncated &&
      <Note kind="warn">
        {say(T.onlyBeginningIsShown, { what: r.text?.next_page ? say(T.upToPage, { nextPage: r.text.next_page - 1 })
          : r.lines ? say(T.fileHasLines, { totalLines: count(r.lines.total_lines) }) : "" })}
      </Note>}
    <Warnings caveats={r.caveats.filter(c => c.reason !== "max_bytes")} />
    {r.text?.pages.map(p =>
      <section key={p.page}>
        <h2>{say(T.page2, { page: count(p.page) })}</h2>
        <pre class="paper">{p.text || T.thisPageHasNo}</pre>
      </section>
    )}
    {r.lines && <pre class="paper" tabIndex={0} role="region" aria-label={T.lines}>{r.content}</pre>}
    {!r.text && !r.lines && <Prose text={r.content ?? ""} />}
  </>;
}

/** The Markdown of a document; what shows it comes with the first. */
function Prose({ text }: { text: string }) {
  const [shown, set] = useState<{ Markdown: FunctionComponent<{ text: string }> }>();
  const [error, fail] = useState<Failure>();
  useEffect(() => { part(() => import("../ask/markdown")).then(set, e => fail(asFailure(e))); }, []);
  if (error) return <Notice error={error} />;
  return shown ? <div class="paper">
    <shown.Markdown text={text || T.documentHasNoText} />
  </div> : <Waiting what={T.text2} />;
}

const largest = 20e6; // bytes of a picture that is shown

function Picture({ file: f }: { file: FileInfo }) {
  const [at, set] = useState<string>();
  const [error, fail] = useState<Failure>();
  const [broken, setBroken] = useState(f.size > largest);
  useEffect(() => {
    if (f.size > largest) return;
    let made = "", gone = false;
    send("GET", address(f.id)).then(a => a.blob()).then(b => {
      if (!gone) set(made = URL.createObjectURL(b));
    }, e => fail(asFailure(e)));
    return () => {
      gone = true;
      URL.revokeObjectURL(made);
    };
  }, [f.id]);
  if (error) return <Notice error={error} />;
  if (broken) return <p class="soft">{T.browserDoesNotShow}</p>;
  return at ? <img class="picture" src={at} alt={f.name} onError={() => setBroken(true)} />
    : <Waiting what={T.picture2} />;
}
