// Tells how much of the day's quota is left, before a request that comes near it.
import { get } from "../api";
import { bytes, time } from "../format";
import { useAsked } from "../use";
import type { Quota } from "../types";
import { ui as T } from "../texts/en/ui";
import { say } from "../texts/say";

/** What a quota counts of a request, as far as it is known before it runs. */
export interface Wanted { estimated_billed_bytes?: number | null; estimated_result_bytes?: number | null }

/** What to tell of a quota before a request, which the server admits by the same rules; nothing where much is left. */
export function leftWords(q: Quota, w: Wanted): string | undefined {
  const most = q.daily_bytes_limit, least = q.remaining.quota_bytes;
  if (most == null || least == null) return undefined;
  const result = Math.max(0, most - q.result_bytes - q.reserved_bytes), scan = Math.max(0, most - q.scan_bytes);
  const counts = [
    // The server admits a result of unknown size if more than a byte is left.
    { left: result, want: w.estimated_result_bytes ?? 2, known: w.estimated_result_bytes != null },
    // The quota does not say how much running requests may still read.
    { left: least < result ? least : scan, want: w.estimated_billed_bytes ?? 0, known: true },
  ];
  const over = counts.find(c => c.want > 0 && c.want > c.left), left = over?.left ?? least;
  if (!over && least * 10 > most && !counts.some(c => c.known && c.want * 2 > c.left)) return undefined;
  const are = say(T.ofAreLeftToday, { left: bytes(left), most: bytes(most) });
  if (!over) return w.estimated_result_bytes == null ? say(T.largerIsCut, { are }) : `${are}.`;
  const may = over.known ? say(T.andThisMayTake, { want: bytes(over.want) }) : "";
  return say(T.itWillBeRefused, { are, may, resetsAt: time(q.resets_at) });
}

/** The id describes the button that runs the request. */
export function Left({ of, id }: { of: Wanted | undefined; id: string }) {
  const quota = useAsked(async signal => of && get<Quota>("/api/v2/quota", signal),
    [of?.estimated_billed_bytes, of?.estimated_result_bytes, !of]);
  const words = of && quota.data && leftWords(quota.data, of);
  return <p id={id} class="soft small" role="status" hidden={!words}>{words}</p>;
}
