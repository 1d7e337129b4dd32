// What is wanted seldom, behind one button.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ui as T } from "../texts/en/ui";

export function More({ label = T.more, of, once, children }: { label?: string; /** Of what, for those who hear it. */
  of: string; /** A choice folds it. */ once?: boolean; children: ComponentChildren })
{
  const box = useRef<HTMLDetailsElement>(null), fold = () => box.current?.removeAttribute("open");
  useEffect(() => {
    const away = (e: Event) => { if (!box.current?.contains(e.target as Node)) fold(); };
    const all = ["pointerdown", "focusin"];
    all.forEach(kind => addEventListener(kind, away, true));
    return () => all.forEach(kind => removeEventListener(kind, away, true));
  }, []);
  return <details class="more-of" ref={box} onKeyDown={e => {
    if (e.key !== "Escape") return;
    fold();
    box.current?.querySelector("summary")?.focus();
  }}>
    <summary class="button quiet">{label}<span class="hidden"> {of}</span></summary>
    <div class="folded" onClick={e => {
      const choice = (e.target as Element).closest("button, a");
      if (!once || !choice || choice.querySelector("[aria-live]")) return; // such a button says itself what it did
      if (box.current?.contains(document.activeElement)) box.current.querySelector("summary")?.focus();
      fold();
    }}>{children}</div>
  </details>;
}
