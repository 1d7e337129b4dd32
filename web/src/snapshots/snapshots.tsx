// The snapshots of this machine.
import { get } from "../api";
import type { PageProps } from "../app";
import { age, bytes, count, plural } from "../format";
import { link } from "../route";
import { useAsked } from "../use";
import { List } from "../ui/list";
import { Empty, Notice, Waiting } from "../ui/notice";
import { OneSnapshot } from "./one";
import type { PageSnapshot } from "../types";
import { snapshots as T } from "../texts/en/snapshots";
import { rich, say } from "../texts/say";

export function Snapshots({ route }: PageProps) {
  const list = useAsked(signal => get<PageSnapshot[]>("/api/page/desk/snapshots", signal), []);
  const name = route.path[1];
  if (list.error) return <Notice error={list.error}><p><button onClick={list.again}>{T.tryAgain}</button></p></Notice>;
  if (!list.data) return <Waiting what={T.snapshots2} />;
  if (name) return <OneSnapshot key={name} name={name} all={list.data} changed={list.again} />;
  return <>
    <div class="head">
      <div>
        <h1>{T.snapshots}</h1>
        <p class="soft">
          {rich(T.rowsThatAreKept, { sql: <a href={link(["sql"], { at: "here" })}>{T.sql}</a> })}
        </p>
      </div>
    </div>
    {list.data.length === 0 ? <Empty title={T.noSnapshotsYet}>
      <p>
        {rich(T.choosePartOfAndKeep, { aTable: <a href="#/tables">{T.table}</a> })}
      </p>
    </Empty>
      : <List name={T.snapshots} head={[T.name, T.rows, T.age, T.size, T.from]} rows={list.data} empty="" numbers={[1,
        3]}
        row={s => [<>
          <a href={link(["snapshots", s.name])}>{s.name}</a> <State of={s} />
        </>, count(s.rows), age(s.fetched_at), bytes(s.bytes), <From of={s} />]} />}
  </>;
}

/** The part of a table that a snapshot holds. */
export function From({ of: s }: { of: PageSnapshot }) {
  if (s.file) return <>{s.file}</>;
  return <>
    {s.table_id}
    {s.select && `, ${plural(s.select.length, T.nColumns)}`}
    {s.where && <>
      {rich(T.where, { where: <code>{s.where}</code> })}
    </>}
    {s.limit != null && say(T.atMost2, { rows: plural(s.limit, T.nRows) })}
  </>;
}

function State({ of: s }: { of: PageSnapshot }) {
  return <>
    {s.damage && <span class="tag bare bad">{T.damaged}</span>}
    {s.caveats.map(c => <span key={c.text} class="tag bare warn" title={c.text}>{c.kind.replaceAll("_", " ")}</span>)}
    {s.pinned && <span class="tag bare">{T.pinned}</span>}
    {s.tags?.map(t => <span key={t} class="tag bare">{t}</span>)}
  </>;
}
