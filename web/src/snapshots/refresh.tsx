// The price of a refresh, then the refresh.
import { useState } from "preact/hooks";
import { ask, get } from "../api";
import { bytes, usd } from "../format";
import { useAsked } from "../use";
import { Notice, Waiting } from "../ui/notice";
import { Waits } from "../ui/waits";
import type { Estimate } from "../types";
import { snapshots as T } from "../texts/en/snapshots";
import { say } from "../texts/say";

export function Refresh<T>({ path, run, close }: { path: string; run: (work: Promise<T>) => void; close: () => void }) {
  const price = useAsked(signal => get<Estimate & { unchanged: boolean }>(path + "/price", signal), [path]);
  const [busy, setBusy] = useState<AbortController>();
  const p = price.data;
  const start = () => {
    const stop = new AbortController();
    setBusy(stop);
    run(ask<T>("POST", path + "/refresh", undefined, stop.signal).finally(close));
  };
  return <section class="card" aria-label={T.refresh2}>
    {price.error && <Notice error={price.error} />}
    {!p && !price.error && <Waiting what={T.price} lines={1} />}
    {p && (p.unchanged ? <p>{T.sourceHasNotChanged}</p> : <dl class="figures">
      <div>
        <dt>{T.readsAtSource}</dt>
        <dd>{p.estimated_scan_bytes == null ? T.unknown
          : say(T.atMost, { estimatedScanBytes: bytes(p.estimated_scan_bytes) })}</dd>
      </div>
      <div>
        <dt>{T.billed}</dt>
        <dd>{p.bq_cost_estimate_usd != null ? usd(p.bq_cost_estimate_usd) : bytes(p.estimated_billed_bytes)}</dd>
      </div>
    </dl>)}
    <div class="bar">
      <button class="primary" disabled={!p || !!busy} onClick={start}>{busy ? T.refreshing : T.refresh2}</button>
      {busy && <Waits what={T.rowsCome} stop={busy} />}
      <span class="soft small">{T.snapshotStaysAsIt}</span>
    </div>
  </section>;
}
