// What was removed last, and the way back.
import { kept, useKept } from "../store";

interface Removed { text: string; back: () => void }

let setter: ((r: Removed | undefined) => void) | undefined;

/** Tells that something was removed; back brings it again. */
export function removed(text: string, back: () => void) { setter?.({ text, back }); }

export function Undo() {
  const [last, set] = useKept<Removed | undefined>("removed", kept("removed"));
  setter = set;
  return <div class="undo-place" role="status">
    {last && <div class="undo">
      <span>{last.text}</span>
      <button class="quiet" onClick={() => {
        set(undefined);
        last.back();
      }}>
        Undo
      </button>
      <button class="quiet" aria-label="Dismiss" onClick={() => set(undefined)}>×</button>
    </div>}
  </div>;
}
