// Says above old rows which request they answer, once another one is typed.
import type { ComponentChildren } from "preact";
import { Note } from "./notice";
import { ui as T } from "../texts/en/ui";
import { rich } from "../texts/say";

export function Below({ of, now, instead, children }: { of: string; now: string;
  /** Brings what is asked for now. */ instead?: ComponentChildren; children: ComponentChildren })
{
  return <>
    {of !== now && <Note>
      <span>{rich(T.rowsBelowAnswer, { of: <code>{of.replace(/\s+/g, " ").slice(0, 120)}</code> })}</span>
      {instead}
    </Note>}
    <div class={of === now ? "" : "before"}>{children}</div>
  </>;
}
