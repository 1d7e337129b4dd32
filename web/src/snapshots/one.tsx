// One snapshot: what it is, its rows, and what can be done with it.
import { useState } from "preact/hooks";
import { ask, type Failure } from "../api";
import { age, bytes, count, plural, time } from "../format";
import { asFailure, useAsked } from "../use";
import { End } from "../ui/end";
import { Empty, Note, Notice, Waiting, Warnings } from "../ui/notice";
import { Result } from "../ui/result";
import { Compare } from "./compare";
import { Refresh } from "./refresh";
import { From } from "./snapshots";
import type { Caveat, PageRows, PageSnapshot } from "../types";
import { snapshots as T } from "../texts/en/snapshots";
import { say } from "../texts/say";

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

export function OneSnapshot({ name, all, changed }: { name: string; all: PageSnapshot[]; changed: () => void }) {
  const [open, setOpen] = useState<"refresh" | "compare">();
  const [error, fail] = useState<Failure>();
  const [done, tell] = useState<{ text: string; caveats?: Caveat[] }>();
  const s = all.find(s => s.name === name), path = `/api/page/desk/snapshots/${encodeURIComponent(name)}`;
  if (!s) {
    return <Empty whole title={done?.text ?? say(T.thereIsNoSnapshot, { name })}>
      <p>
        <a href="#/snapshots">{T.toSnapshots}</a>
      </p>
    </Empty>;
  }
  const run = <T,>(work: Promise<T>, said: (made: T) => { text: string; caveats?: Caveat[] }) => {
    fail(undefined);
    tell(undefined);
    work.then(made => { tell(said(made)); changed(); }, e => fail(asFailure(e)));
  };
  const toggle = (what: "refresh" | "compare") => setOpen(open === what ? undefined : what);
  return <>
    <nav class="crumbs" aria-label={T.way}>
      <a href="#/snapshots">{T.snapshots}</a>
    </nav>
    <div class="head">
      <div>
        <h1>{name}{s.pinned && <span class="tag">{T.pinned}</span>}</h1>
        <p class="soft">
          <From of={s} />
        </p>
        {s.note && <p>{s.note}</p>}
      </div>
    </div>
    <dl class="figures">
      <div><dt>{T.rows}</dt><dd>{count(s.rows)}</dd></div>
      <div><dt>{T.columns}</dt><dd>{count(s.columns.length)}</dd></div>
      <div><dt>{T.size}</dt><dd>{bytes(s.bytes)}</dd></div>
      <div><dt>{T.fetched}</dt><dd title={time(s.fetched_at)}>{age(s.fetched_at)}</dd></div>
    </dl>
    {s.damage && <Note kind="warn">{s.damage}</Note>}
    <div class="bar">
      {!s.file && <button aria-expanded={open === "refresh"} onClick={() => toggle("refresh")}>{T.refresh}</button>}
      {all.length > 1 && <button aria-expanded={open === "compare"} onClick={() =>
        toggle("compare")}>{T.compare}</button>}
      {s.earlier &&
        <button
          onClick={() =>
            run(
              ask<{ snapshot: { rows: number }; caveats: Caveat[] }>("POST", path + "/restore"),
              r => ({
                text: say(T.lastRefreshIsUndone, { rows: plural(r.snapshot.rows, T.nRows) }),
                caveats: r.caveats,
              }),
            )}>
          {T.undoRefresh}
        </button>}
      <button class="quiet"
        onClick={() =>
          run(
            ask("PUT", path + "/pin", { pinned: !s.pinned }),
            () => ({
              text: s.pinned ? T.itIsRefreshedWithAll : T.itStaysAsIt,
            }),
          )}>
        {s.pinned ? T.unpin : T.pin}
      </button>
      <End label={T.drop} end={() => run(ask("DELETE", path), () => ({ text: say(T.snapshotIsDropped, { name }) }))} />
    </div>
    {error && <Notice error={error} />}
    {done && <div class="notes" role="status">
      <Note>{done.text}</Note>
      <Warnings caveats={done.caveats?.filter(c => !s.caveats.some(k => k.text === c.text))} />
    </div>}
    {open === "refresh" &&
      <Refresh<Refreshed> path={path} key={s.fetched_at} close={() => setOpen(undefined)} run={work =>
        run(work, refreshed)} />}
    {open === "compare" && <Compare name={name} all={all} />}
    {!s.damage && <Rows key={s.fetched_at + s.rows} of={s} />}
  </>;
}

interface Refreshed {
  unchanged: boolean;
  identical: boolean;
  rows_delta: number;
  before: { rows: number };
  after: { rows: number };
  caveats: Caveat[];
}

function refreshed(r: Refreshed) {
  const text = r.unchanged ? T.itsSourceHasNot
    : r.identical ? T.readAgainRowsAre
    : say(T.readAgainBeforeNow, { rows: plural(r.before.rows, T.nRows), after: count(r.after.rows) });
  return { text, caveats: r.caveats };
}

function Rows({ of: s }: { of: PageSnapshot }) {
  const sql = `SELECT * FROM ${quoted(s.name)}`;
  const rows = useAsked(signal => ask<PageRows>("POST", "/api/page/desk/query", { sql }, signal), [sql]);
  if (rows.error) return <Notice error={rows.error} />;
  const id = `snapshot ${s.name} ${s.fetched_at}`;
  return rows.data ? <Result id={id} rows={rows.data} name={s.name} total={s.rows} whole={{ sql, here: true }} />
    : <Waiting what={T.rows2} />;
}
