// What can be done with a column of a result: order, condition, place.
import { useEffect, useRef, useState } from "preact/hooks";
import { isTime } from "../values";
import { Picker } from "./picker";
import { Ticks, type Counted } from "./ticks";
import type { Condition } from "./arrange";
import type { PageColumn } from "../types";
import { ui as T } from "../texts/en/ui";
import { say } from "../texts/say";

/** What a grid's owner does with its columns; at: their place in the grid. */
export interface ColumnActions {
  sort: (at: number, down: boolean) => void;
  /** Up, down, and as the rows came, one after the other. */
  turn: (at: number) => void;
  narrow: (at: number, c: Omit<Condition, "at">) => void;
  /** The values that come most. */
  values?: ((at: number) => Promise<Counted[]>) | undefined;
  /** Of how many rows these are, if they are the first of more. */
  first?: number | undefined;
  /** Those of them that the rows are narrowed to. */
  ticked: (at: number) => string[];
  hide: (at: number) => void;
  move: (at: number, to: number) => void;
  pin: (at: number, pinned: boolean) => void;
}

interface ColumnMenuProps {
  column: PageColumn; at: number; of: number; pinned: boolean; left: number; actions: ColumnActions;
  wider: (by: number) => void; close: () => void;
}

export function ColumnMenu({ column: c, at, of, pinned, left, actions, wider, close }: ColumnMenuProps) {
  const box = useRef<HTMLDivElement>(null);
  const [kind, setKind] = useState<"is" | "has" | "range" | "null">(c.numeric || isTime(c) ? "range" : "has");
  const [from, setFrom] = useState(""), [to, setTo] = useState("");
  useEffect(() => {
    box.current?.querySelector("button")?.focus();
    // What would be below the window is scrolled to within the menu, and a menu that is low comes up with its page.
    const menu = box.current!, under = innerHeight - menu.getBoundingClientRect().top - 8;
    menu.style.maxHeight = `${Math.max(320, under)}px`;
    menu.scrollIntoView({ block: "nearest" });
    const away = (e: PointerEvent) => { if (!box.current?.contains(e.target as Node)) close(); };
    addEventListener("pointerdown", away, true);
    return () => removeEventListener("pointerdown", away, true);
  }, []);
  const then = (work: () => void) => () => { work(); close(); };
  const filter = (e: Event) => {
    e.preventDefault();
    const given = kind === "null" ? { null: true as const } : kind === "is" ? { is: from } : kind === "has"
      ? { has: from } : { ...(from !== "" ? { from } : {}), ...(to !== "" ? { to, last: true } : {}) };
    if (kind === "has" ? from !== "" : Object.keys(given).length) actions.narrow(at, given);
    close();
  };
  const item = (label: string, work: () => void, off = false) =>
    <button type="button" class="quiet" disabled={off} onClick={then(work)}>{label}</button>;
  return <div class="menu" ref={box} role="dialog" aria-label={say(T.column,
    { name: c.name })} style={{ left: `${left}px` }}
    onKeyDown={e => {
      if (e.key !== "Escape") return;
      e.stopPropagation();
      close();
    }}>
    {item(T.sortUp, () => actions.sort(at, false))}
    {item(T.sortDown, () => actions.sort(at, true))}
    {actions.values && <Ticks column={c} of={() => actions.values!(at)} first={actions.first}
      now={actions.ticked(at)} pick={given => {
      actions.narrow(at, given);
      close();
    }} />}
    <form class="menu-filter" onSubmit={filter}>
      <label class="pick">
        <span>{T.onlyRows}</span>
        <select value={kind} onChange={e => setKind(e.currentTarget.value as typeof kind)}>
          <option value="has">{T.thatContain}</option>
          <option value="is">{T.thatAre}</option>
          <option value="range">{T.fromUpTo}</option>
          <option value="null">{T.withNULL}</option>
        </select>
      </label>
      {kind !== "null" &&
        <input aria-label={kind === "range" ? T.from : T.value} value={from} spellcheck={false}
          placeholder={kind === "range" ? T.from2 : c.type} onInput={e => setFrom(e.currentTarget.value)} />}
      {/is|range/.test(kind) && <Picker of={kind === "is" ? T.value2 : T.first} type={c.type} value={from}
        set={setFrom} />}
      {kind === "range" && <input aria-label={T.upTo} value={to} spellcheck={false} placeholder={T.upTo2} onInput={e =>
        setTo(e.currentTarget.value)} />}
      {kind === "range" && <Picker of={T.last} type={c.type} value={to} set={setTo} />}
      <button class="primary">{T.filter}</button>
    </form>
    {item(pinned ? T.unpin : T.pinAtLeft, () => actions.pin(at, !pinned))}
    {item(T.moveLeft, () => actions.move(at, at - 1), at === 0)}
    {item(T.moveRight, () => actions.move(at, at + 1), at === of - 1)}
    {item(T.hide, () => actions.hide(at), of === 1)}
    {item(T.wider, () => wider(80))}
    {item(T.narrower, () => wider(-80))}
  </div>;
}
