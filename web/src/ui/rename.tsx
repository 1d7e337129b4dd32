// A name that is changed in place.
import { useState } from "preact/hooks";
import { useFocus } from "../use";
import { ui as T } from "../texts/en/ui";

/** A button that opens a field with the name; Escape or Keep leaves the name as it was. */
export function Rename(
  { name, label, most, rename }: { name: string; label?: string; most?: number; rename: (to: string) => void },
) {
  const [to, set] = useState<string>();
  const field = useFocus<HTMLInputElement>(to !== undefined), button = useFocus<HTMLButtonElement>(to !== undefined);
  if (to === undefined) {
    return <button type="button" class="quiet" ref={button} aria-label={label} onClick={() => set(name)}>
      {T.rename}
    </button>;
  }
  const submit = (e: Event) => {
    e.preventDefault();
    if (to.trim() && to !== name) rename(to);
    set(undefined);
  };
  return <form class="bar rename" onSubmit={submit} onKeyDown={e => {
    if (e.key === "Escape") set(undefined);
  }}>
    <label class="grow">
      <span class="hidden">{T.newName}</span>
      <input value={to} maxLength={most} ref={field} onFocus={e => e.currentTarget.select()}
        onInput={e => set(e.currentTarget.value)} />
    </label>
    <button class="primary">{T.rename}</button>
    <button type="button" class="quiet" onClick={() => set(undefined)}>{T.keep}</button>
  </form>;
}
