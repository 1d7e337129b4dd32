// What the figures of an answer rest on.
import { useState } from "preact/hooks";
import { get } from "../api";
import { count, time } from "../format";
import { useAsked } from "../use";
import { List } from "../ui/list";
import { Notice, Waiting } from "../ui/notice";
import type { ReceiptOf } from "./types";

/** The receipt of an answer, which is read when it is opened. */
export function Receipt({ id }: { id: string }) {
  const [open, set] = useState(false);
  return <details onToggle={e => set(e.currentTarget.open)}><summary>Receipt</summary>{open && <Content id={id} />}</details>;
}

function Content({ id }: { id: string }) {
  const receipt = useAsked(signal => get<ReceiptOf>(`/api/agent/receipts/${encodeURIComponent(id)}`, signal), [id]);
  if (receipt.error) return <Notice error={receipt.error} />;
  if (!receipt.data) return <Waiting what="the receipt" lines={2} />;
  const r = receipt.data, place = new Map(r.results.map((x, i) => [x.call, i + 1]));
  return <div class="receipt">
    <p class="soft small">{id} · {time(r.at)} · {r.model}</p>
    {r.results.map((x, i) => <section key={x.call}><h2>Result {i + 1}: {x.tool}, {count(x.rows)} {x.rows === 1 ? "row" : "rows"}{x.local ? "" : ", at the source"}</h2>
      <pre>{x.arguments.sql ?? JSON.stringify(x.arguments)}</pre>
      {x.inputs?.map(s => <p key={s.snapshot} class="small">Snapshot <code>{s.snapshot}</code>{s.table_id && <> of {s.table_id}</>}, {count(s.rows)} rows, as of {time(s.as_of)}, content <code>{s.content_hash}</code></p>)}
      <p class="soft small">Rows <code>{x.sha256}</code></p></section>)}
    {r.figures.length > 0 && <List name="Figures" head={["Figure", "Occurs in"]} rows={r.figures} empty=""
      row={f => [f.text, f.calls?.length ? f.calls.map(c => `result ${place.get(c) ?? "of another tool"}`).join(", ") : "no result: computed by the model, or made up"]} />}
  </div>;
}
