// What the figures of an answer rest on.
import { useMemo } from "preact/hooks";
import { get } from "../api";
import { count, time } from "../format";
import { useAsked } from "../use";
import { List } from "../ui/list";
import { Note, Notice, Waiting } from "../ui/notice";
import { Markdown } from "./markdown";
import type { ReceiptOf } from "./types";

/** An answer with marks at the figures that are in no result, and what the others rest on. */
export function Answered({ id, text }: { id: string; text: string }) {
  const receipt = useAsked(signal => get<ReceiptOf>(`/api/agent/receipts/${encodeURIComponent(id)}`, signal), [id]);
  const loose = useMemo(() => receipt.data?.figures.filter(f => !f.calls?.length && !f.asked).map(f => f.text) ?? [], [
    receipt.data,
  ]);
  return <>
    <Markdown text={text} loose={loose} />
    {loose.length > 0 &&
      <Note kind="warn">
        {loose.length === 1 ? "A figure of this answer is" : `${count(loose.length)} figures of this answer are`}{" "}
        in no result: {[...new Set(loose)].join(", ")}. The model computed {loose.length === 1 ? "it" : "them"}, or made
        {" "}
        {loose.length === 1 ? "it" : "them"} up.
      </Note>}
    <details>
      <summary>Where the figures come from</summary>
      {receipt.error ? <Notice error={receipt.error} />
        : receipt.data ? <Content id={id} r={receipt.data} /> : <Waiting what="the receipt" lines={2} />}
    </details>
  </>;
}

function Content({ id, r }: { id: string; r: ReceiptOf }) {
  const place = new Map(r.results.map((x, i) => [x.call, i + 1]));
  return <div class="receipt">
    <p class="soft small">{id} · {time(r.at)} · {r.model}</p>
    {r.results.map((x, i) =>
      <section key={x.call}>
        <h2>
          Result {i + 1}: {x.tool}, {count(x.rows)} {x.rows === 1 ? "row" : "rows"}
          {x.local ? "" : ", at the source"}
        </h2>
        <pre>{x.arguments.sql ?? JSON.stringify(x.arguments)}</pre>
        {x.inputs?.map(s =>
          <p key={s.snapshot} class="small">
            Snapshot <code>{s.snapshot}</code>
            {s.table_id && <> of {s.table_id}</>}, {count(s.rows)} rows, as of {time(s.as_of)}, content{" "}
            <code>{s.content_hash}</code>
          </p>
        )}
        <p class="soft small">
          Rows <code>{x.sha256}</code>
        </p>
      </section>
    )}
    {r.figures.length > 0 &&
      <List name="Figures" head={["Figure", "Occurs in"]} rows={r.figures} empty=""
        row={f => [f.text, f.calls?.length ? f.calls.map(c =>
          `result ${place.get(c) ?? "of another tool"}`
        ).join(", ")
          : f.asked === "question" ? "no result, but the question"
          : f.asked ? "no result, but what a tool was asked" : "no result: computed by the model, or made up"]} />}
  </div>;
}
