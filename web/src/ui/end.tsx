import { useState } from "preact/hooks";
import { useFocus } from "../use";
import { ui as T } from "../texts/en/ui";

/** A button that asks before it ends something for good. of: what it ends; says: what that changes. */
export function End({ label, does = label, not = T.keep, of, says, end }: { label: string; does?: string; not?: string;
  of?: string; says?: string; end: () => void })
{
  const [sure, ask] = useState(false);
  const first = useFocus<HTMLButtonElement>(sure);
  if (!sure) return <button type="button" class="quiet" ref={first} onClick={() => ask(true)}
    aria-label={of && `${label} ${of}`}>{label}</button>;
  return <span class="sure" onKeyDown={e => { if (e.key === "Escape") ask(false); }}>
    {says && <span class="small" role="status">{says}</span>}
    <button type="button" class="danger" ref={first} onClick={() => { ask(false); end(); }}>{does}</button>
    <button type="button" class="quiet" onClick={() => ask(false)}>{not}</button></span>;
}
