// What the columns of a table hold, under the rights, limits and audit of whoever looks.
import { useState } from "preact/hooks";
import { ask, type Failure } from "../api";
import { bytes, count, share, time } from "../format";
import { isNumber, text } from "../values";
import { link } from "../route";
import { useKept } from "../store";
import { asFailure, useAsked } from "../use";
import { useWhole } from "../ui/kept";
import { Notice, Waiting, Warnings } from "../ui/notice";
import { Summaries } from "../ui/summaries";
import type { Bin, Summary } from "../ui/summary";
import { costs, PriceLine } from "../sql/price";
import { quoted } from "../sql/text";
import { condition } from "./predicate";
import type { Condition } from "../ui/arrange";
import { Waits } from "../ui/waits";
import type { Caveat, Estimate, Schema, Value } from "../types";
import { look as T } from "../texts/en/look";
import { say } from "../texts/say";

const mostLooked = 1_000_000; // rows that are looked at unasked, where that costs nothing

/** All rows of a table where they are few and free, and otherwise its profile. */
export function Statistics({ schema: s }: { schema: Schema }) {
  const rows = s.row_count ?? s.estimated_row_count, whole = { scan: { table_id: s.table_id } };
  const sql = `SELECT * FROM ${quoted(s.table_id, /mysql|bigquery/.test(s.sql_flavor))}`;
  const price = useAsked(signal => costs(sql, "source", signal), [sql]);
  const small = rows != null && rows <= mostLooked && !!price.data?.free;
  const kept = useWhole("table " + s.table_id, whole, small), all = kept.result;
  const narrow = (c: Condition) => {
    location.hash = link(["tables", s.table_id, "part"], { where: condition(c, s) });
  };
  if (all) {
    return <>
      <p class="soft small" role="status">
        {say(T.ofAllRowsThat, { all: count(all.rows) })}
      </p>
      <Warnings caveats={all.caveats} />
      <Summaries columns={all.columns} of={{ result: all, part: { words: "", where: [] } }}
        places={all.columns.map((_, i) => i)} narrow={narrow} />
    </>;
  }
  if (kept.stop || !price.data && !price.error || small && !kept.error) return <Waiting what={T.rows2} lines={6} />;
  return <>
    {kept.error && <Notice error={kept.error} />}
    {!kept.error && <div class="bar">
      <button onClick={kept.bring}>{T.lookAtAllRows}</button>
      <span class="soft small">
        {say(T.howValuesAreSpread, { estimatedScanBytes: bytes(price.data?.estimated_scan_bytes ?? null) })}
      </span>
    </div>}
    <Profile schema={s} narrow={narrow} />
  </>;
}

/** What a column of a profile is; profile.Column in Go. */
interface Profiled { name: string; nulls: number; distinct: number; distinct_at_most?: number; uncounted?: boolean;
  not_finite?: number; min?: Value; max?: Value;
  median?: Value; mean?: Value; histogram?: Omit<Bin<number>, "last">[]; top?: { value: Value; n: number }[];
  key?: boolean; constant?: boolean; dates?: boolean; sentinels?: { value: Value }[]; likely?: { kind: string } }
interface ProfileOf { rows: number; sampled: number; repeated: number; as_of: string; columns: Profiled[];
  caveats: Caveat[] }

/** A column as a summary shows it. */
function summaryOf(c: Profiled, rows: number): Summary {
  const bins = c.histogram?.map((b, i, all) => ({ ...b, last: i === all.length - 1 })), marks = [
    c.key && T.key, c.uncounted && T.differentNotCounted,
    c.not_finite && say(T.notFinite, { n: count(c.not_finite) }), c.constant && T.oneValue, c.dates && T.textsOfDates,
    c.sentinels?.length && say(T.mayStandForNone,
      { sentinels: c.sentinels.map(s => text(s.value)).join(", ").slice(0, 60) }),
    c.likely && say(T.likely, { kind: c.likely.kind.replace("_", " ") })].filter(m => typeof m === "string");
  return { rows, nulls: c.nulls, distinct: c.uncounted ? undefined : c.distinct,
    about: c.distinct_at_most !== undefined, marks,
    ...(c.min !== undefined ? { low: c.min, high: c.max! } : {}),
    ...(c.median != null ? { median: Number(c.median) } : {}), ...(c.mean != null ? { mean: Number(c.mean) } : {}),
    ...(bins?.length ? { bins } : { top: c.top?.slice(0, 6) ?? [] }) };
}

/** What two statements at the source say of all rows, once somebody wants that. */
function Profile({ schema: s, narrow }: { schema: Schema; narrow: (c: Condition) => void }) {
  const price = useAsked(signal => ask<Estimate>("POST", "/api/v2/scan/estimate", { table_id: s.table_id }, signal), [
    s.table_id]);
  const [made, set] = useKept<ProfileOf | undefined>("profile " + s.table_id, undefined);
  const [error, fail] = useState<Failure>(), [busy, setBusy] = useState<AbortController>();
  const run = () => {
    const stop = new AbortController();
    setBusy(stop);
    fail(undefined);
    ask<ProfileOf>("POST", "/api/page/profile", { table_id: s.table_id }, stop.signal)
      .then(set, e => fail(asFailure(e))).finally(() => setBusy(undefined));
  };
  // Each column is read at most twice.
  const twice = (n: number | null | undefined) => n == null ? null : 2 * n, e = price.data;
  const known = made?.columns.map(c => s.columns.find(k => k.name === c.name)!) ?? [];
  return <>
    {price.error ? <Notice error={price.error} /> : <PriceLine price={e && { tables: [s.table_id],
      estimated_scan_bytes: twice(e.estimated_scan_bytes), estimated_billed_bytes: twice(e.estimated_billed_bytes),
      bq_cost_estimate_usd: twice(e.bq_cost_estimate_usd) }} left="left" />}
    <div class="bar">
      <button class="primary" data-do={T.profile} aria-describedby="left" onClick={run}
        disabled={!!busy || !!price.error}>
        {busy ? T.profiling : made ? T.profileAgain : T.profile}
      </button>
      {busy && <Waits what={T.profileIsMade} stop={busy} />}
      {!made && <span class="soft small">{T.twoStatementsAtSource}</span>}
    </div>
    {error && <Notice error={error} />}
    {made && <>
      <p class="soft small" role="status">
        {say(T.rowsThatYouMay, { made: count(made.rows), asOf: time(made.as_of) })}
        {made.sampled < made.rows && say(T.mostFiguresAreOfOfThem, { sampled: count(made.sampled) })}
        {made.repeated > 0 && say(T.ofThemAreEqual, { repeated: share(made.repeated, 1) })}.
      </p>
      <Warnings caveats={made.caveats} />
      <Summaries columns={known.map(c => ({ name: c.name, type: c.type, numeric: isNumber(c.type) }))}
        of={made.columns.map(c => summaryOf(c, made.rows))} places={known.map((_, i) => i)}
        narrow={c => narrow({ ...c, at: s.columns.indexOf(known[c.at]!) })} />
    </>}
  </>;
}
