// A dashboard as a file: that of its sheet, and its report as a page, PDF or slides.
import { useState } from "preact/hooks";
import { send, type Failure } from "../api";
import { noFile, offerAnswer } from "../files/transfer";
import { fileName } from "../ui/copy";
import { More } from "../ui/more";
import { Notice, Warnings } from "../ui/notice";
import { Waits } from "../ui/waits";
import { costs, isFree, PriceLine } from "./price";
import { titleOf, type Sheet, type Where } from "./sheets";
import { compose, isList, listOf, parametersIn, valueOf, type Filling, type Meant } from "./text";
import type { Caveat, QueryPrice } from "../types";
import { sql as T } from "../texts/en/sql";
import { say } from "../texts/say";

const typed = ({ text, number }: Meant) => number && text.replace(/\D/g, "").length < 16 ? Number(text) : text;

/** The file of a sheet, and what its statements would read in all. Throws what is wrong with one of them. */
export async function fileOf(sheet: Sheet, where: Where, filling: Filling, signal: AbortSignal) {
  const tables = new Set<string>(), { name, values, every, cells } = sheet;
  const sum: QueryPrice =
    { tables: [], estimated_scan_bytes: 0, estimated_billed_bytes: 0, bq_cost_estimate_usd: null };
  for (const [at, c] of cells.entries()) {
    if (!c.sql.trim()) continue;
    const { sql, fault } = compose(cells, at, { ...filling, values });
    if (fault) throw fault;
    const p = await costs(sql, where, signal);
    p.tables.forEach(t => tables.add(t));
    for (const k of ["estimated_scan_bytes", "estimated_billed_bytes"] as const)
      sum[k] = sum[k] === null || p[k] === null ? null : sum[k] + p[k];
    const usd = p.bq_cost_estimate_usd;
    if (usd !== null) sum.bq_cost_estimate_usd = (sum.bq_cost_estimate_usd ?? 0) + usd;
  }
  sum.tables = [...tables];
  const statements = cells.map(c => c.sql), parameters = Object.fromEntries(parametersIn(statements)
    .filter(p => values[p]).map(p => {
      const type = filling.types?.[p];
      return [p, isList(statements, p) ? listOf(p, values[p]!, type).map(typed) : typed(valueOf(values[p]!, type))];
    }));
  return { price: sum, sheet: { name: name || titleOf(sheet), tables: sum.tables, where, every, values, parameters,
    cells } };
}

const formats = { html: "HTML", pdf: "PDF", pptx: "PPTX" };

/** Downloads a dashboard: its statements run on the server; if they cost something, it shows the price first. */
export function Download({ sheet, where, filling }: { sheet: Sheet; where: Where; filling: Filling }) {
  const [busy, setBusy] = useState<AbortController>(), [told, tell] = useState<Caveat[]>([]);
  const [asked, ask] = useState<{ format: string; price: QueryPrice }>(), [error, fail] = useState<Failure>();
  const run = async (format: string, agreed = false) => {
    const stop = new AbortController();
    setBusy(stop);
    ask(undefined);
    fail(undefined);
    tell([]);
    try {
      const { sheet: file, price } = await fileOf(sheet, where, filling, stop.signal);
      if (!agreed && !isFree(price)) return ask({ format, price });
      const answer = await send("POST", "/api/page/report", { format, sheet: file }, stop.signal);
      await offerAnswer(fileName(titleOf(sheet), format), answer);
      tell(JSON.parse(decodeURIComponent(answer.headers.get("X-Agnes-Caveats") ?? "[]")) as Caveat[]);
    } catch (e) {
      fail(noFile(e, stop.signal, () => void run(format, agreed)));
    } finally {
      setBusy(undefined);
    }
  };
  return <>
    <More label={T.download} of={titleOf(sheet)}>
      {Object.entries(formats).map(([format, text]) =>
        <button key={format} type="button" class="quiet" data-do={say(T.downloadAs, { text })} disabled={!!busy}
          onClick={() => void run(format)}>{text}</button>
      )}
    </More>
    {busy && <Waits stop={busy} what={T.fileIsMade} />}
    {asked && <section aria-label={T.priceOfFile}>
      <PriceLine price={asked.price} left="left-file" />
      <button class="primary" aria-describedby="left-file" onClick={() => void run(asked.format, true)}>
        {T.runAndDownload}
      </button>
      <button class="quiet" onClick={() => ask(undefined)}>{T.notNow}</button>
    </section>}
    {error && <Notice error={error} />}
    <Warnings caveats={told} />
  </>;
}
