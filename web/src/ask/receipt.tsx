// What the figures of an answer rest on.
import { useMemo, useRef, useState } from "preact/hooks";
import { get } from "../api";
import { count, time } from "../format";
import { useAsked } from "../use";
import { download, fileName } from "../ui/copy";
import { lines } from "../ui/csv";
import { List } from "../ui/list";
import { Note, Notice, Waiting, Warnings } from "../ui/notice";
import { Markdown } from "./markdown";
import { rowsOf, sheetOf, StepAnswer } from "./step";
import type { Said, Step } from "./conversation";
import type { ReceiptOf } from "./types";

type Figure = ReceiptOf["figures"][number];
type Rested = ReceiptOf["results"][number];

/** What the model said: an answer with its receipt, other words, or an answer that it has withdrawn. */
export function Words({ said: s, ...of }: { said: Said; steps: Step[]; at?: string }) {
  if (s.withdrawn) {
    return <details class="soft">
      <summary>Withdrawn by the model, as figures of it were in no result</summary>
      <Markdown text={s.text} />
    </details>;
  }
  return s.receipt ? <Answered id={s.receipt} text={s.text} {...of} /> : <Markdown text={s.text} />;
}

/** An answer with marks at the figures that are in no result, and ways from the others to their cells. */
function Answered({ id, text, steps, at = `/api/agent/receipts/${encodeURIComponent(id)}` }: {
  id: string; text: string; steps: Step[]; /** Where its receipt is. */ at?: string;
}) {
  const [open, setOpen] = useState<Figure>(), from = useRef<HTMLElement | null>(null);
  const receipt = useAsked(signal => get<ReceiptOf>(at, signal), [at]);
  const loose = useMemo(() => receipt.data?.figures.filter(f =>
    !f.calls?.length && !f.asked && !f.worked_out).map(f => f.text) ?? [], [receipt.data]);
  const worked = [...new Set(receipt.data?.figures.flatMap(f => f.worked_out ? `${f.text} = ${f.worked_out}` : []))];
  return <>
    <Markdown text={text} figures={receipt.data?.figures} open={(f, button) => {
      from.current = button;
      setOpen(f === open ? undefined : f);
    }} />
    {open && receipt.data && <Source key={open.text + open.cell?.call} figure={open} steps={steps} id={id}
      r={receipt.data} close={() => {
      setOpen(undefined);
      from.current?.focus();
    }} />}
    {worked.length > 0 &&
      <p class="soft small">Worked out from other figures of the same line: {worked.join("; ")}.</p>}
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
        : receipt.data ? <Content id={id} r={receipt.data} steps={steps} /> : <Waiting what="the receipt" lines={2} />}
    </details>
  </>;
}

/** The step that a figure comes from, and its column there. */
function cellOf(f: Figure, steps: Step[]) {
  const call = f.cell?.call ?? f.calls?.at(-1), step = steps.findLast(s => s.id === call);
  return { call, step, column: f.cell && rowsOf(step?.answer)?.columns[f.cell.column] };
}

/** The statement that a figure comes from, what that read and of when, and its rows, at the cell. */
function Source({ figure: f, steps, id, r, close }: { figure: Figure; steps: Step[]; id: string; r: ReceiptOf;
  close: () => void })
{
  const { call, step, column } = cellOf(f, steps), sheet = step && sheetOf(step);
  const rested = r.results.find(x => x.call === call);
  return <section class="card source" aria-label={`Where ${f.text} comes from`} onKeyDown={e => {
    if (e.key === "Escape") close();
  }}>
    <div class="bar">
      <strong>{f.text}</strong>
      <span class="soft small">
        {!step ? "The step that it comes from is not here any more."
          : column !== undefined ? `${step.tool}, row ${count(f.cell!.row + 1)}, column ${column}` : step.tool}
      </span>
      <span class="grow" />
      {sheet && <a class="button quiet" href={sheet}>Open in a sheet</a>}
      <Files id={id} r={r} steps={steps} />
      <button type="button" class="quiet" onClick={close}>Close</button>
    </div>
    {rested && <Rests on={rested} at={r.at} />}
    {step && <StepAnswer step={step} at={f.cell && { row: f.cell.row, at: f.cell.column }} />}
  </section>;
}

/** A statement, where it ran, and what it read of when. */
function Rests({ on: x, at }: { on: Rested; at: string }) {
  return <>
    <pre class="small">{x.arguments.sql ?? JSON.stringify(x.arguments)}</pre>
    {!x.local && <p class="small">Read at the source, as of {time(at)}.</p>}
    {x.saved && <p class="small">
      Saved question <code>{x.saved.name}</code>: {x.saved.question}, {!x.saved.approved_by ? "not approved"
        : `${x.saved.changed ? "changed since it was approved" : "approved"} by ${x.saved.approved_by}`}
    </p>}
    {x.inputs?.map(s =>
      <p key={s.snapshot ?? s.file} class="small">
        {s.file ? "File" : "Snapshot"} <code>{s.file ?? s.snapshot}</code>
        {s.table_id && <> of {s.table_id}</>}
        {s.file ? `, version ${s.version}` : `, ${count(s.rows ?? 0)} rows`}, as of {time(s.as_of)}, content{" "}
        <code>{s.content_hash}</code>
      </p>
    )}
  </>;
}

/** The receipt to take along: all of it, or a line for each figure. */
function Files({ id, r, steps }: { id: string; r: ReceiptOf; steps: Step[] }) {
  const head = ["figure", "occurs in", "row", "column", "statement", "read", "as of", "caveats", "hash of the rows"];
  const rows = r.figures.map(f => {
    const { call, column } = cellOf(f, steps), x = r.results.find(x => x.call === call);
    return [f.text, x?.tool ?? occursIn(f), f.cell ? f.cell.row + 1 : null, column ?? null,
      x ? x.arguments.sql ?? JSON.stringify(x.arguments) : null,
      !x ? null : x.local ? x.inputs?.map(i => i.file ?? i.snapshot).join("; ") ?? "" : "at the source",
      !x ? null : x.inputs?.map(i => i.as_of).join("; ") || r.at, x?.caveats?.map(c => c.text).join("; ") ?? null,
      x?.sha256 ?? null];
  });
  return <span class="together">
    <button type="button" class="quiet" data-do="Export the receipt as JSON" onClick={() =>
      download(fileName(`receipt ${id}`, "json"), "application/json", JSON.stringify(r, null, 1) + "\n")}>
      Receipt as JSON
    </button>
    <button type="button" class="quiet" data-do="Export the receipt as CSV" onClick={() =>
      download(fileName(`receipt ${id}`, "csv"), "text/csv", lines(head.map(name => ({ name })), rows, ","))}>
      CSV
    </button>
  </span>;
}

/** Where a figure stands that is in no result of this answer. */
const occursIn = (f: Figure) =>
  f.calls?.length ? "result of another tool"
    : f.asked === "question" ? "no result, but the question"
    : f.asked ? "no result, but what a tool was asked"
    : f.worked_out ? `no result, but worked out: ${f.worked_out}`
    : "no result: computed by the model, or made up";

function Content({ id, r, steps }: { id: string; r: ReceiptOf; steps: Step[] }) {
  const place = new Map(r.results.map((x, i) => [x.call, i + 1]));
  return <div class="receipt">
    <div class="bar">
      <p class="soft small">{id} · {time(r.at)} · {r.model}</p>
      <span class="grow" />
      <Files id={id} r={r} steps={steps} />
    </div>
    {r.results.map((x, i) =>
      <section key={x.call}>
        <h2>
          Result {i + 1}: {x.tool}, {count(x.rows)} {x.rows === 1 ? "row" : "rows"}
          {x.local ? "" : ", at the source"}
        </h2>
        <Rests on={x} at={r.at} />
        <Warnings caveats={x.caveats} />
        <p class="soft small">
          Rows <code>{x.sha256}</code>
        </p>
      </section>
    )}
    {r.figures.length > 0 &&
      <List name="Figures" head={["Figure", "Occurs in"]} rows={r.figures} empty=""
        row={f => [f.text, f.calls?.length
          ? f.calls.map(c => `result ${place.get(c) ?? "of another tool"}`).join(", ") : occursIn(f)]} />}
  </div>;
}
