// What differs between two snapshots.
import { useState } from "preact/hooks";
import { ask } from "../api";
import { count, plural } from "../format";
import { readable } from "../values";
import { useAsked } from "../use";
import { List } from "../ui/list";
import { Notice, Waiting, Warnings } from "../ui/notice";
import type { Caveat, PageSnapshot, Value } from "../types";
import { snapshots as T } from "../texts/en/snapshots";
import { rich, say } from "../texts/say";

type Row = Record<string, Value>;
interface Diff {
  before: string;
  after: string;
  columns: { name: string; before?: string; after?: string }[];
  rows_before: number;
  rows_after: number;
  added: number;
  removed: number;
  changed: number;
  same: number;
  by_column?: { column: string; rows: number }[];
  examples: { change: "added" | "removed" | "changed"; key?: Row; before?: Row; after?: Row }[];
  caveats?: Caveat[];
}

export function Compare({ name, all }: { name: string; all: PageSnapshot[] }) {
  const of = all.find(s => s.name === name)!;
  const others = all.filter(s => s.name !== name && !s.damage).sort((a, b) =>
    Number(b.table_id === of.table_id) - Number(a.table_id === of.table_id)
  );
  const [other, setOther] = useState(others[0]?.name ?? "");
  const [key, setKey] = useState("");
  const shared = of.columns.filter(c => all.find(s => s.name === other)?.columns.includes(c));
  const diff = useAsked(
    signal =>
      ask<Diff>("POST", "/api/page/desk/snapshots/compare", { before: other, after: name,
        ...(key && shared.includes(key) ? { key: [key] } : {}) }, signal),
    [other, key],
  );
  const d = diff.data;
  return <section class="card" aria-label={T.comparison}>
    <div class="bar">
      <label class="pick">
        <span>{T.before}</span>
        <select value={other} onChange={e => setOther(e.currentTarget.value)}>
          {others.map(s => <option key={s.name}>{s.name}</option>)}
        </select>
      </label>
      <label class="pick">
        <span>{T.keyColumn}</span>
        <select value={key} onChange={e => setKey(e.currentTarget.value)}>
          <option value="">{T.allColumns}</option>
          {shared.map(c => <option key={c}>{c}</option>)}
        </select>
      </label>
    </div>
    {diff.error && <Notice error={diff.error} />}
    {!d && !diff.error && <Waiting what={T.comparison2} lines={2} />}
    {d && <div class="notes" role="status">
      <Warnings caveats={d.caveats} />
      <dl class="figures">
        <div>
          <dt>{T.added}</dt>
          <dd>{count(d.added)}</dd>
        </div>
        <div>
          <dt>{T.removed}</dt>
          <dd>{count(d.removed)}</dd>
        </div>
        {key && <div>
          <dt>{T.changed}</dt>
          <dd>{count(d.changed)}</dd>
        </div>}
        <div>
          <dt>{T.same}</dt>
          <dd>{count(d.same)}</dd>
        </div>
      </dl>
      {d.columns.map(c =>
        <p key={c.name} class="small">
          {rich(T.columnItsValuesAre, { name: <code>{c.name}</code>, what: !c.before ? say(T.isNew,
            { after: c.after }) : !c.after ? T.isGone : say(T.wasAndIs, { before: c.before, after: c.after }) })}
        </p>
      )}
      {d.examples.length > 0 && <Examples of={d} keyed={!!key} />}
    </div>}
  </section>;
}

/** A value as a grid shows it; what is a time shows by its form. */
const said = (v: Value | undefined, name: string) =>
  v === null ? "NULL" : readable(v, { name, numeric: typeof v === "number",
    type: /^\d{4}-\d\d-\d\dT\d/.test(String(v)) ? "timestamp" : "" }).slice(0, 60);

/** A value of a row that differs: as it was and as it is, where that changed. */
function cell(e: Diff["examples"][number], column: string) {
  const { key = {}, before = {}, after = {} } = e;
  if (column in key) return <code>{said(key[column], column)}</code>;
  return <>
    {column in before && <del>{said(before[column], column)}</del>}{" "}
    {column in after && <ins>{said(after[column], column)}</ins>}
  </>;
}

function Examples({ of: d, keyed }: { of: Diff; keyed: boolean }) {
  const all = d.added + d.removed + d.changed;
  const columns = [...new Set(d.examples.flatMap(e => [e.key, e.before, e.after].flatMap(r => Object.keys(r ?? {}))))];
  return <>
    {!keyed && d.added > 0 && d.removed > 0 &&
      <p class="soft small">{T.withKeyColumnRows}</p>}
    {d.by_column?.length ? <p class="soft small">
      {say(T.changedByColumn,
        { byColumn: d.by_column.map(c => say(T.in, { column: c.column, rows: plural(c.rows, T.nRows) })).join(", ") })}
    </p> : null}
    {d.examples.length < all &&
      <p class="soft small">{say(T.ofThatDiffer, { rows: plural(d.examples.length, T.nRows), all: count(all) })}</p>}
    <List name={T.rowsThatDiffer} head={[T.change, ...columns]} rows={d.examples} empty=""
      row={e => [e.change, ...columns.map(c => cell(e, c))]} />
  </>;
}
