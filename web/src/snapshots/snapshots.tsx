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

export function Snapshots({ route }: PageProps) {
  const list = useAsked(signal => get<PageSnapshot[]>("/api/page/desk/snapshots", signal), []);
  const name = route.path[1];
  if (list.error) return <Notice error={list.error}><p><button onClick={list.again}>Try again</button></p></Notice>;
  if (!list.data) return <Waiting what="the snapshots" />;
  if (name) return <OneSnapshot key={name} name={name} all={list.data} changed={list.again} />;
  return <>
    <div class="head">
      <div>
        <h1>Snapshots</h1>
        <p class="soft">
          Rows that are kept on this machine. <a href={link(["sql"], { at: "here" })}>SQL</a>{" "}
          reads them “Here”, without asking their source.
        </p>
      </div>
    </div>
    {list.data.length === 0 ? <Empty title="No snapshots yet">
      <p>
        Choose a part of <a href="#/tables">a table</a>, and keep it as a snapshot.
      </p>
    </Empty>
      : <List name="Snapshots" head={["Name", "Rows", "Age", "Size", "From"]} rows={list.data} empty="" numbers={[1, 3]}
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
    {s.select && `, ${plural(s.select.length, "column", "columns")}`}
    {s.where && <>
      , where <code>{s.where}</code>
    </>}
    {s.limit != null && `, at most ${plural(s.limit, "row", "rows")}`}
  </>;
}

function State({ of: s }: { of: PageSnapshot }) {
  return <>
    {s.damage && <span class="tag bare bad">damaged</span>}
    {s.caveats.map(c => <span key={c.text} class="tag bare warn" title={c.text}>{c.kind.replaceAll("_", " ")}</span>)}
    {s.pinned && <span class="tag bare">pinned</span>}
    {s.tags?.map(t => <span key={t} class="tag bare">{t}</span>)}
  </>;
}
