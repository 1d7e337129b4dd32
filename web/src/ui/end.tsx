import { useState } from "preact/hooks";

/** A button that asks before it ends something for good. */
export function End({ label, end }: { label: string; end: () => void }) {
  const [sure, ask] = useState(false);
  return sure ? <span class="sure"><button class="danger" onClick={end}>{label}</button><button class="quiet" onClick={() => ask(false)}>Keep</button></span>
    : <button class="quiet" onClick={() => ask(true)}>{label}</button>;
}
