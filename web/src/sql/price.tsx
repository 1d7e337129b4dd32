// What a statement would read at the source.
import { useEffect } from "preact/hooks";
import { ask, Failure } from "../api";
import { bytes, usd } from "../format";
import { useAsked, useSettled } from "../use";
import { Left } from "../ui/left";
import { List } from "../ui/list";
import { sentence } from "../ui/notice";
import { parametersIn } from "./text";
import type { DeskPlan, QueryPrice } from "../types";
import type { Where } from "./sheets";
import { sql as T } from "../texts/en/sql";
import { say } from "../texts/say";

/** left: the id of the line about the quota. */
export function PriceLine({ price: p, left }: { price: QueryPrice | undefined; left: string }) {
  return <><dl class="figures" aria-live="polite">
    <div>
      <dt>{T.tables}</dt>
      <dd>{p ? p.tables.join(", ") : "…"}</dd>
    </div>
    <div>
      <dt>{T.readsAtSource}</dt>
      <dd>{!p ? "…" : p.estimated_scan_bytes == null ? T.unknown
        : say(T.atMost, { estimatedScanBytes: bytes(p.estimated_scan_bytes) })}</dd>
    </div>
    <div>
      <dt>{T.billed}</dt>
      <dd>
        {!p ? "…" : p.bq_cost_estimate_usd != null ? usd(p.bq_cost_estimate_usd) : bytes(p.estimated_billed_bytes)}
      </dd>
    </div>
  </dl><Left of={p} id={left} /></>;
}

type Sum = Pick<QueryPrice, "estimated_scan_bytes" | "estimated_billed_bytes" | "bq_cost_estimate_usd">;

const mostUnasked = 1e9; // bytes that are read at a source without anybody's word

/** What a statement would read; free: so little, and at no cost, that nobody needs to be asked. */
export async function costs(sql: string, where: Where, signal: AbortSignal): Promise<QueryPrice & { free: boolean }> {
  const p = await priceOf(sql, where, signal);
  return { ...p, free: isFree(p) };
}

export const isFree = (p: Sum) => p.estimated_scan_bytes != null && p.estimated_scan_bytes <= mostUnasked &&
  !p.estimated_billed_bytes && !p.bq_cost_estimate_usd;

/** typing: the statement may not be whole yet; the console says nothing of that. */
async function priceOf(sql: string, where: Where, signal: AbortSignal, typing = false): Promise<QueryPrice> {
  const of = async <T,>(path: string) => {
    const answer = await ask<T & { mistake?: string; hint?: string; details?: Failure["details"] }>("POST",
      path + (typing ? "?typing=true" : ""), { sql }, signal);
    if (!answer.mistake) return answer;
    throw new Failure(0, "mistake", answer.mistake, "", answer.hint, [], answer.details ?? {});
  };
  if (where === "source") return of<QueryPrice>("/api/page/price");
  const { tables } = where === "here" ? { tables: [] } : await of<DeskPlan>("/api/page/desk/plan");
  const sum = (key: keyof Sum) => tables.reduce<number | null>((n, t) =>
    !t.estimate ? n : n === null || t.estimate[key] == null ? null : n + t.estimate[key], 0);
  return { tables: tables.map(t => t.table_id), estimated_scan_bytes: sum("estimated_scan_bytes"),
    estimated_billed_bytes: sum("estimated_billed_bytes"), bq_cost_estimate_usd: sum("bq_cost_estimate_usd") };
}

/** What the statement that is being typed would read, once it can be told; wrong: takes the mistake that it has. */
export function Price({ sql, where, left, wrong }: { sql: string; where: Where; left: string;
  wrong?: (of: { sql: string; error: Failure } | undefined) => void })
{
  const settled = useSettled(sql, 700),
    whole = /^(select|with|from)\b.*\bfrom\b/is.test(settled) && !parametersIn([settled]).length;
  const price = useAsked(async signal => whole && where !== "here" ? priceOf(settled, where, signal, true) : undefined,
    [settled, where]);
  const p = settled === sql ? price.data : undefined, mistake = price.error?.code === "mistake" && price.error;
  useEffect(() => wrong?.(mistake ? { sql: settled, error: mistake } : undefined), [mistake]);
  if (where === "here") return <p class="soft small">{T.readsNothingAtSource}</p>;
  if (!p) return <p class="soft small">{!whole || settled !== sql ? "\u00a0" : price.loading ? T.itsPriceIsAsked
    : price.error
      ? [say(T.noPrice, { message: sentence(price.error.message) }), price.error.hint].join(" ") : "\u00a0"}</p>;
  const reads = p.estimated_scan_bytes,
    much = reads == null ? T.unknownAmount : reads === 0 ? "nothing" : say(T.atMost2, { reads: bytes(reads) });
  return <><p class="soft small">
    {say(T.readsAtSourceBilled, { much })}{" "}
    {p.bq_cost_estimate_usd != null ? usd(p.bq_cost_estimate_usd) : bytes(p.estimated_billed_bytes)}.
  </p><Left of={p} id={left} /></>;
}

/** Where the rows of a statement would come from. */
export function PlanView({ plan }: { plan: DeskPlan }) {
  const from: Record<string, string> = { here: T.thisMachine, fetch: T.itsSource,
    source: T.itsSourceWhichRuns, nothing: T.noRowIsNeeded };
  const place = (t: DeskPlan["tables"][number]) =>
    t.reuse
      ? (t.reuse.part ? T.earlierQuery : say(T.snapshot, { snapshot: t.reuse.snapshot })) +
        (t.from === "remainder" ? T.andRestFromIts : "")
      : from[t.from] ?? t.from;
  return <section>
    <h2>{T.plan}</h2>
    <List name={T.plan} head={[T.table, T.from, T.columns, T.condition, T.reads, T.cost]} rows={plan.tables}
      empty={T.itReadsNoTable} numbers={[4, 5]}
      row={t => [t.table_id, place(t), t.select?.join(", ") ?? "", t.where ? <code>{t.where}</code> : "",
        t.estimate ? bytes(t.estimate.estimated_scan_bytes) : T.n0Bytes,
        t.estimate ? usd(t.estimate.bq_cost_estimate_usd) : T.free]} />
    {plan.tables.flatMap(t =>
      (t.local ?? []).map(text =>
        <p key={t.table_id + text} class="soft small">{say(T.onlyCheckedHere, { tableId: t.table_id, text })}</p>
      )
    )}
  </section>;
}
