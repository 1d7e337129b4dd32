// What a statement would read at the source.
import { bytes, usd } from "../format";
import type { QueryPrice } from "../types";

export function PriceLine({ price: p }: { price: QueryPrice | undefined }) {
  return <dl class="figures" aria-live="polite">
    <div>
      <dt>Tables</dt>
      <dd>{p ? p.tables.join(", ") : "…"}</dd>
    </div>
    <div>
      <dt>Reads at the source</dt>
      <dd>{!p ? "…" : p.estimated_scan_bytes == null ? "unknown" : `at most ${bytes(p.estimated_scan_bytes)}`}</dd>
    </div>
    <div>
      <dt>Billed</dt>
      <dd>
        {!p ? "…" : p.bq_cost_estimate_usd != null ? usd(p.bq_cost_estimate_usd) : bytes(p.estimated_billed_bytes)}
      </dd>
    </div>
  </dl>;
}
