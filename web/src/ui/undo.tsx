// What was removed last, and the way back.
import { useEffect, useState } from "preact/hooks";
import { kept, useKept } from "../store";
import { ui as T } from "../texts/en/ui";

interface Removed { text: string; back?: () => void }

const shown = 20_000; // ms

let setter: ((r: Removed | undefined) => void) | undefined;

/** Tells that something was removed; back brings it again. */
export function removed(text: string, back: () => void) { setter?.({ text, back }); }

/** Tells that something was done. */
export function tell(text: string) { setter?.({ text }); }

export function Undo() {
  const [last, set] = useKept<Removed | undefined>("removed", kept("removed"));
  const [read, setRead] = useState(false); // it stays while somebody is at it
  setter = set;
  useEffect(() => {
    if (!last || read) return;
    const done = () => set(undefined), end = setTimeout(done, shown);
    if (!last.back) addEventListener("hashchange", done);
    return () => {
      clearTimeout(end);
      removeEventListener("hashchange", done);
    };
  }, [last, read]);
  return <div class="undo-place" role="status">
    {last && <div class="undo" onFocusIn={() => setRead(true)} onFocusOut={() => setRead(false)}>
      <span>{last.text}</span>
      {last.back && <button class="quiet" onClick={() => {
        set(undefined);
        last.back?.();
      }}>
        {T.undo}
      </button>}
      <button class="quiet" aria-label={T.dismiss} onClick={() => set(undefined)}>×</button>
    </div>}
  </div>;
}
