// One value, exact and whole, with ways to its neighbours.
import { useEffect, useRef, useState } from "preact/hooks";
import { count } from "../format";
import { text } from "../values";
import { Copy } from "./copy";
import { FromHere } from "./origin";
import type { PageColumn, Value } from "../types";
import { ui as T } from "../texts/en/ui";
import { say } from "../texts/say";

const longestShown = 200_000; // characters of a value
const mostItems = 100; // of a list, until more are asked for

interface OneValueProps {
  column: PageColumn; row: number; value: Value; close: () => void; go: (down: number, across: number) => void;
}

export function OneValue({ column: c, row, value, close, go }: OneValueProps) {
  const [plain, setPlain] = useState(false), box = useRef<HTMLElement>(null);
  // The keys stay in the grid; what they open must be seen.
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), []);
  const exact = value === null ? "NULL" : text(value), tree = nested(value, c.type);
  const lines = tree === undefined ? exact : JSON.stringify(tree, null, 2);
  const address = /^https?:\/\/[^\s"'<>]+$/.test(exact) ? exact : undefined;
  return <section class="card value" ref={box} aria-label={T.value} onKeyDown={e => {
    if (e.key === "Escape") close();
  }}>
    <div class="bar">
      <strong>{c.name}</strong>
      <code class="soft small">{c.type}</code>
      <span class="soft small">
        {say(T.row, { row: count(row + 1) })}
        {exact.length > 60 && say(T.characters, { exact: count(exact.length) })}
      </span>
      <span class="grow" />
      {([[T.left, 0, -1], [T.right, 0, 1], [T.up, -1, 0], [T.down, 1, 0]] as const).map(([label, down, across]) =>
        <button key={label} type="button" class="quiet" aria-label={say(T.value3,
          { label: label.toLowerCase() })} onClick={() =>
          go(down, across)}>
          {{ Left: "←", Right: "→", Up: "↑", Down: "↓" }[label]}
        </button>
      )}
      {tree !== undefined &&
        <button type="button" class="quiet" aria-pressed={plain} onClick={() => setPlain(!plain)}>{T.asText}</button>}
      {address && <a class="button quiet" href={address} target="_blank" rel="noopener noreferrer">{T.openLink}</a>}
      <Copy text={() => text(value)} />
      <button type="button" class="quiet" onClick={close}>{T.close}</button>
    </div>
    {tree !== undefined && !plain
      ? <div class="paper tree" tabIndex={0} role="region" aria-label={T.wholeValue}>
        <Branch value={tree} open />
      </div>
      : <pre class="paper" tabIndex={0} role="region" aria-label={T.wholeValue}
        aria-live="polite">{exact === "" ? <span class="soft">{T.emptyText}</span> : lines.slice(0, longestShown)}
        {lines.length > longestShown && "…"}</pre>}
    <FromHere value={value} column={c.name} row={row} />
  </section>;
}

/** What a value holds, if it is a list or an object, or JSON of one whose numbers are not rounded by reading it. */
export function nested(value: Value, type: string): Value | undefined {
  if (value !== null && typeof value === "object") return value;
  if (typeof value !== "string" || !/json|struct|map|\[\]|list|text|varchar|string/i.test(type)) return undefined;
  if (!/^\s*[[{]/.test(value) || /\d{16}/.test(value)) return undefined;
  try {
    const parsed = JSON.parse(value) as Value;
    return parsed !== null && typeof parsed === "object" ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** A list or an object, whose parts open. */
function Branch({ name, value, open }: { name?: string; value: Value; open?: boolean }) {
  const [all, showAll] = useState(false), label = name === undefined ? "" : `${name}: `;
  const [there, set] = useState(!!open);
  if (value === null || typeof value !== "object") {
    return <div class="leaf">
      <span class="soft">{label}</span>
      <code>{JSON.stringify(value)}</code>
    </div>;
  }
  const items = Object.entries(value), list = Array.isArray(value);
  return <details open={open} onToggle={e => {
    if (e.currentTarget.open) set(true);
  }}>
    <summary>
      {label}
      <span class="soft">{list
        ? say(T.items, { items: count(items.length) }) : say(T.fields, { items: count(items.length) })}</span>
    </summary>
    {there && items.slice(0, all ? undefined : mostItems).map(([k, v]) =>
      <Branch key={k} name={k} value={v} open={items.length === 1} />
    )}
    {there && !all && items.length > mostItems &&
      <button type="button" class="quiet" onClick={() => showAll(true)}>{say(T.all,
        { items: count(items.length) })}</button>}
  </details>;
}
