// Changes that wait for the user: what they would do, and whether they are made.
import { useState } from "preact/hooks";
import { ask, get, type Failure } from "../api";
import { plural, time } from "../format";
import { asFailure, useAsked } from "../use";
import { End } from "../ui/end";
import { Note, Notice, Waiting, Warnings } from "../ui/notice";
import { tell } from "../ui/undo";
import { Download } from "./download";
import type { Difference, Draft, DraftChange, DraftDiff } from "./types";
import { files as T } from "../texts/en/files";
import { say } from "../texts/say";

export function Drafts({ changed }: { changed: () => void }) {
  const list = useAsked(signal => get<{ drafts: Draft[] }>("/api/drafts", signal), []);
  if (list.error) return <Notice error={list.error} />;
  if (!list.data?.drafts.length) return null;
  return <section>
    <h2>{T.drafts}</h2>
    {list.data.drafts.map(d =>
      <OneDraft key={d.name} draft={d} changed={() => {
        list.again();
        changed();
      }} />
    )}
  </section>;
}

/** A draft with what it changes, and the buttons that end it. */
export function OneDraft({ title, draft, changed }: { title?: string; draft: Draft; changed: () => void }) {
  const path = `/api/drafts/${encodeURIComponent(draft.name)}`;
  const diff = useAsked(signal => get<DraftDiff>(path + "/diff", signal), [draft.changes]);
  const [error, fail] = useState<Failure>();
  const [busy, setBusy] = useState(false);
  const end = (method: string, at: string) => {
    setBusy(true);
    ask(method, at).then(() => {
      if (method === "POST") tell(say(T.appliedOf,
        { changes: plural(draft.changes, T.nChanges), title: title ?? draft.name }));
      changed();
    }, e => { fail(asFailure(e)); setBusy(false); });
  };
  return <article class="card draft">
    <div class="bar">
      <h3>{title ?? draft.name}</h3>
      <span class="soft small">{plural(draft.changes, T.nChanges)} · {time(draft.created_on)}</span>
      <span class="grow" />
      <button class="primary" disabled={busy || !diff.data && !diff.error} onClick={() => end("POST", path + "/apply")}>
        {T.apply}
      </button>
      {!busy && <End label={T.discard} says={T.itsChangesAreLost} end={() => end("DELETE", path)} />}
    </div>
    {error && <Notice error={error} />}
    {diff.error && <Notice error={diff.error} />}
    {!diff.data && !diff.error && <Waiting what={T.changes} lines={2} />}
    {diff.data?.changes.map(c => <Change key={c.file.id} draft={draft.name} change={c} />)}
  </article>;
}

function Change(
  { draft, change: { action, file, before, conflict, content } }: { draft: string; change: DraftChange },
) {
  const name = before && before.name !== file.name ? `${before.name} → ${file.name}` : file.name;
  return <details open={action !== "deleted"}><summary>{name} <span class="tag bare">{action}</span></summary>
    <div class="notes"><Warnings caveats={content.caveats} /></div>
    {action !== "deleted" && <div class="bar"><Download file={file} query={{ draft }} quiet /></div>}
    {conflict &&
      <Note kind="warn">
        {T.fileHasChangedSince}
      </Note>}
    {action === "deleted" ? <p class="soft">{T.itIsDeletedIt}</p>
      : <Differences of={content.changes} name={name} />}
    {content.more && <p class="soft">{T.thereAreMoreChanges}</p>}
    {content.problem && <p class="soft">{say(T.contentsCannotBeCompared, { problem: content.problem })}</p>}
    {!content.changes.length && !content.problem && <p class="soft">{T.nothingInFileDiffers}</p>}
  </details>;
}

/** Places with what was there and what will be. */
function Differences({ of: all, name }: { of: Difference[]; name: string }) {
  if (!all.length) return null;
  return <pre class="diff" tabIndex={0} role="region" aria-label={say(T.changesOf,
    { name })}>{all.map((d, i) => <div key={i}>
    <div class="soft place">{d.place}</div>
    {d.before && <div class="minus"><span class="hidden">{T.removed}{" "}</span>- {d.before}</div>}
    {d.after && <div class="plus"><span class="hidden">{T.added}{" "}</span>+ {d.after}</div>}</div>)}</pre>;
}
