// What the figures of an answer rest on.
import { useMemo, useRef, useState } from "preact/hooks";
import { get } from "../api";
import { count, plural, time } from "../format";
import { useAsked } from "../use";
import { download, fileName } from "../ui/copy";
import { lines } from "../ui/csv";
import { List } from "../ui/list";
import { Note, Notice, Waiting, Warnings } from "../ui/notice";
import { Markdown } from "./markdown";
import { rowsOf, sheetOf, StepAnswer } from "./step";
import type { Said, Step } from "./conversation";
import type { ReceiptOf } from "./types";
import { ask as T } from "../texts/en/ask";
import { rich, say } from "../texts/say";

type Figure = ReceiptOf["figures"][number];
type Rested = ReceiptOf["results"][number];

/** What the model said: an answer with its receipt, other words, or an answer that it has withdrawn. */
export function Words({ said: s, ...of }: { said: Said; steps: Step[]; at?: string }) {
  if (s.withdrawn) {
    return <details class="soft">
      <summary>{T.withdrawnByModelAs}</summary>
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
    {receipt.data?.figures.some(f => f.calls?.length || loose.includes(f.text)) &&
      <p class="soft small">{T.signsOfFigures}</p>}
    {worked.length > 0 &&
      <p class="soft small">{say(T.workedOutFromOther, { worked: worked.join("; ") })}</p>}
    {loose.length > 0 &&
      <Note kind="warn">
        {say(T.inNoResultModel, { what: loose.length === 1 ? T.figureOfThisAnswer : say(T.figuresOfThisAnswer, { loose:
          count(loose.length) }), what2: [...new Set(loose)].join(", "), what3: loose.length === 1 ? T.it : T.them })}
      </Note>}
    <details>
      <summary>{T.whereFiguresComeFrom}</summary>
      {receipt.error ? <Notice error={receipt.error} />
        : receipt.data ? <Content id={id} r={receipt.data} steps={steps} /> : <Waiting what={T.receipt} lines={2} />}
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
  return <section class="card source" aria-label={say(T.whereComesFrom, { text: f.text })} onKeyDown={e => {
    if (e.key === "Escape") close();
  }}>
    <div class="bar">
      <strong>{f.text}</strong>
      <span class="soft small">
        {!step ? T.stepThatItComes
          : column !== undefined
            ? say(T.rowColumn, { tool: step.tool, row: count(f.cell!.row + 1), column }) : step.tool}
      </span>
      <span class="grow" />
      {sheet && <a class="button quiet" href={sheet}>{T.openInSheet}</a>}
      <Files id={id} r={r} steps={steps} />
      <button type="button" class="quiet" onClick={close}>{T.close}</button>
    </div>
    {rested && <Rests on={rested} at={r.at} />}
    {step && <StepAnswer step={step} at={f.cell && { row: f.cell.row, at: f.cell.column }} />}
  </section>;
}

/** A statement, where it ran, and what it read of when. */
function Rests({ on: x, at }: { on: Rested; at: string }) {
  return <>
    <pre class="small">{x.arguments.sql ?? JSON.stringify(x.arguments)}</pre>
    {!x.local && <p class="small">{say(T.readAtSourceAs, { at: time(at) })}</p>}
    {x.saved && <p class="small">
      {rich(T.savedQuestion,
        { name: <code>{x.saved.name}</code>, question: x.saved.question, what: !x.saved.approved_by ? T.notApproved
        : say(T.by, { what: x.saved.changed ? T.changedSinceItWas : T.approved, approvedBy: x.saved.approved_by }) })}
    </p>}
    {x.inputs?.map(s =>
      <p key={s.snapshot ?? s.file} class="small">
        {s.file ? T.file : T.snapshot} <code>{s.file ?? s.snapshot}</code>
        {s.table_id && <>{" "}{say(T.of2, { tableId: s.table_id })}</>}
        {say(T.asOfContent, { what: s.file ? say(T.version, { version: s.version })
          : plural(s.rows ?? 0, T.rows), asOf: time(s.as_of) })}{" "}
        <code>{s.content_hash}</code>
      </p>
    )}
  </>;
}

/** The receipt to take along: all of it, or a line for each figure. */
function Files({ id, r, steps }: { id: string; r: ReceiptOf; steps: Step[] }) {
  const rows = r.figures.map(f => {
    const { call, column } = cellOf(f, steps), x = r.results.find(x => x.call === call);
    return [f.text, x?.tool ?? occursIn(f), f.cell ? f.cell.row + 1 : null, column ?? null,
      x ? x.arguments.sql ?? JSON.stringify(x.arguments) : null,
      !x ? null : x.local ? x.inputs?.map(i => i.file ?? i.snapshot).join("; ") ?? "" : T.atSource,
      !x ? null : x.inputs?.map(i => i.as_of).join("; ") || r.at, x?.caveats?.map(c => c.text).join("; ") ?? null,
      x?.sha256 ?? null];
  });
  return <span class="together">
    <button type="button" class="quiet" data-do={T.exportReceiptAsJSON} onClick={() =>
      download(fileName(`receipt ${id}`, "json"), "application/json", JSON.stringify(r, null, 1) + "\n")}>
      {T.receiptAsJSON}
    </button>
    <button type="button" class="quiet" data-do={T.exportReceiptAsCSV} onClick={() =>
      download(fileName(`receipt ${id}`, "csv"), "text/csv",
        lines(T.receiptHead.split(",").map(name => ({ name })), rows, ","))}>
      {T.csv}
    </button>
  </span>;
}

/** Where a figure stands that is in no result of this answer. */
const occursIn = (f: Figure) =>
  f.calls?.length ? T.resultOfAnotherTool
    : f.asked === "question" ? T.noResultButQuestion
    : f.asked ? T.noResultButWhat
    : f.worked_out ? say(T.noResultButWorked, { workedOut: f.worked_out })
    : T.noResultComputedByModel;

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
          {say(T.result, { what: i + 1, tool: x.tool, rows: plural(x.rows, T.nRows) })}
          {x.local ? "" : T.atSource2}
        </h2>
        <Rests on={x} at={r.at} />
        <Warnings caveats={x.caveats} />
        <p class="soft small">
          {rich(T.rows3, { sha256: <code>{x.sha256}</code> })}
        </p>
      </section>
    )}
    {r.figures.length > 0 &&
      <List name={T.figures} head={[T.figure, T.occursIn]} rows={r.figures} empty=""
        row={f => [f.text, f.calls?.length
          ? f.calls.map(c => say(T.result2, { place: place.get(c) ?? T.ofAnotherTool })).join(", ") : occursIn(f)]} />}
  </div>;
}
