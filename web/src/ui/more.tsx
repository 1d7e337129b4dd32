// What is wanted seldom, behind one button.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ui as T } from "../texts/en/ui";

export function More({ label = T.more, of, children }: { label?: string; /** Of what, for those who hear it. */
  of: string; children: ComponentChildren })
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
    <div class="folded">{children}</div>
  </details>;
}
