// The price of a refresh, then the refresh.
import { useState } from "preact/hooks";
import { ask, get } from "../api";
import { bytes, usd } from "../format";
import { useAsked } from "../use";
import { Notice, Waiting } from "../ui/notice";
import { Waits } from "../ui/waits";
import type { Estimate } from "../types";

export function Refresh<T>({ path, run, close }: { path: string; run: (work: Promise<T>) => void; close: () => void }) {
  const price = useAsked(signal => get<Estimate & { unchanged: boolean }>(path + "/price", signal), [path]);
  const [busy, setBusy] = useState<AbortController>();
  const p = price.data;
  const start = () => {
    const stop = new AbortController();
    setBusy(stop);
    run(ask<T>("POST", path + "/refresh", undefined, stop.signal).finally(close));
  };
  return <section class="card" aria-label="Refresh">
    {price.error && <Notice error={price.error} />}
    {!p && !price.error && <Waiting what="the price" lines={1} />}
    {p && (p.unchanged ? <p>The source has not changed since: a refresh reads nothing.</p> : <dl class="figures">
      <div>
        <dt>Reads at the source</dt>
        <dd>{p.estimated_scan_bytes == null ? "unknown" : `at most ${bytes(p.estimated_scan_bytes)}`}</dd>
      </div>
      <div>
        <dt>Billed</dt>
        <dd>{p.bq_cost_estimate_usd != null ? usd(p.bq_cost_estimate_usd) : bytes(p.estimated_billed_bytes)}</dd>
      </div>
    </dl>)}
    <div class="bar">
      <button class="primary" disabled={!p || !!busy} onClick={start}>{busy ? "Refreshing…" : "Refresh"}</button>
      {busy && <Waits what="The rows come" stop={busy} />}
      <span class="soft small">The snapshot stays as it is until all rows are here.</span>
    </div>
  </section>;
}
