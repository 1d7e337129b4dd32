// Changes that wait for the user: what they would do, and whether they are made.
import { useState } from "preact/hooks";
import { ask, get, send, type Failure } from "../api";
import { bytes, plural, time } from "../format";
import { asFailure, useAsked } from "../use";
import { Note, Notice, Waiting } from "../ui/notice";
import { diff } from "./diff";
import { address, canChoose, fetchFile, saveTo } from "./transfer";
import type { Draft, DraftChange, DraftChanges, File } from "./types";

const longest = 512 << 10; // bytes of a text that is compared

export function Drafts({ changed }: { changed: () => void }) {
  const list = useAsked(signal => get<{ drafts: Draft[] }>("/api/drafts", signal), []);
  if (list.error) return <Notice error={list.error} />;
  if (!list.data?.drafts.length) return null;
  return <section><h2>Drafts</h2>
    {list.data.drafts.map(d => <OneDraft key={d.name} draft={d} changed={() => { list.again(); changed(); }} />)}</section>;
}

/** A draft with what it changes, and the buttons that end it. */
export function OneDraft({ title, draft, changed }: { title?: string; draft: Draft; changed: () => void }) {
  const path = `/api/drafts/${encodeURIComponent(draft.name)}`;
  const changes = useAsked(signal => get<DraftChanges>(path, signal), [draft.changes]);
  const [error, fail] = useState<Failure>();
  const [busy, setBusy] = useState(false);
  const end = (method: string, at: string) => {
    setBusy(true);
    ask(method, at).then(changed, e => { fail(asFailure(e)); setBusy(false); });
  };
  return <article class="card draft">
    <div class="bar"><h3>{title ?? draft.name}</h3><span class="soft small">{plural(draft.changes, "change", "changes")} · {time(draft.created_on)}</span><span class="grow" />
      <button class="primary" disabled={busy} onClick={() => end("POST", path + "/apply")}>Apply</button>
      <button disabled={busy} onClick={() => end("DELETE", path)}>Discard</button></div>
    {error && <Notice error={error} />}
    {changes.error && <Notice error={changes.error} />}
    {changes.data?.changes.map(c => <Change key={c.file.id} draft={draft.name} change={c} />)}
  </article>;
}

function Change({ draft, change: { action, file, before, conflict } }: { draft: string; change: DraftChange }) {
  const name = before && before.name !== file.name ? `${before.name} → ${file.name}` : file.name;
  const text = /^text\/|json|xml|yaml|sql|javascript/.test(file.mime_type) && Math.max(file.size, before?.size ?? 0) <= longest;
  return <details open={text && action !== "deleted"}><summary>{name} <span class="tag bare">{action}</span></summary>
    {action !== "deleted" && <Card file={file} query={{ draft }} />}
    {conflict && <Note kind="warn">The file has changed since this draft was made of it: applying it fails until that is settled.</Note>}
    {action === "deleted" ? <p class="soft">It is deleted; it can be restored for 30 days.</p>
      : text ? <Texts now={action === "deleted" ? undefined : address(file.id, { draft })} was={before ? address(before.id) : undefined} name={name} />
        : <p class="soft">{before ? `${bytes(before.size)} before, ${bytes(file.size)} after.` : `${bytes(file.size)}.`} It is not a text that can be compared here.</p>}
  </details>;
}

/** Buttons that bring a file to the user's disk. */
function Card({ file, query }: { file: File; query: Record<string, string> }) {
  const [error, fail] = useState<Failure>();
  const run = (work: Promise<unknown>) => { fail(undefined); work.catch(e => { if (!(e instanceof DOMException)) fail(asFailure(e)); }); };
  return <><div class="bar"><button class="quiet" onClick={() => run(fetchFile(file, query))}>Download</button>
    {canChoose() && <button class="quiet" onClick={() => run(saveTo(file, query))}>Save to…</button>}</div>{error && <Notice error={error} />}</>;
}

const read = async (at: string | undefined, signal: AbortSignal) => at ? (await send("GET", at, undefined, signal)).text() : "";

function Texts({ now, was, name }: { now: string | undefined; was: string | undefined; name: string }) {
  const lines = useAsked(async signal => diff(await read(was, signal), await read(now, signal)) ?? null, [now, was]);
  if (lines.error) return <Notice error={lines.error} />;
  if (lines.data === undefined) return <Waiting what="the texts" lines={2} />;
  if (lines.data === null) return <p class="soft">The texts are too long to be compared here.</p>;
  if (!lines.data.some(l => l.sign === "+" || l.sign === "-")) return <p class="soft">No line differs.</p>;
  const words = { "+": "added", "-": "removed", " ": "", "…": "" };
  return <pre class="diff" tabIndex={0} role="region" aria-label={`Changes of ${name}`}>{lines.data.map((l, i) =>
    <div key={i} class={l.sign === "+" ? "plus" : l.sign === "-" ? "minus" : "soft"}><span class="hidden">{words[l.sign]} </span>{l.sign} {l.text}</div>)}</pre>;
}
