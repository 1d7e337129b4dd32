// One value, exact and whole, with ways to its neighbours.
import { useEffect, useRef, useState } from "preact/hooks";
import { count, text } from "../format";
import { Copy } from "./copy";
import { FromHere } from "./origin";
import type { PageColumn, Value } from "../types";

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
  return <section class="card value" ref={box} aria-label="Value" onKeyDown={e => {
    if (e.key === "Escape") close();
  }}>
    <div class="bar">
      <strong>{c.name}</strong>
      <code class="soft small">{c.type}</code>
      <span class="soft small">
        row {count(row + 1)}
        {exact.length > 60 && `, ${count(exact.length)} characters`}
      </span>
      <span class="grow" />
      {([["Left", 0, -1], ["Right", 0, 1], ["Up", -1, 0], ["Down", 1, 0]] as const).map(([label, down, across]) =>
        <button key={label} type="button" class="quiet" aria-label={`Value ${label.toLowerCase()}`} onClick={() =>
          go(down, across)}>
          {{ Left: "←", Right: "→", Up: "↑", Down: "↓" }[label]}
        </button>
      )}
      {tree !== undefined &&
        <button type="button" class="quiet" aria-pressed={plain} onClick={() => setPlain(!plain)}>As text</button>}
      {address && <a class="button quiet" href={address} target="_blank" rel="noopener noreferrer">Open the link</a>}
      <Copy text={() => text(value)} />
      <button type="button" class="quiet" onClick={close}>Close</button>
    </div>
    {tree !== undefined && !plain
      ? <div class="paper tree" tabIndex={0} role="region" aria-label="The whole value">
        <Branch value={tree} open />
      </div>
      : <pre class="paper" tabIndex={0} role="region" aria-label="The whole value"
        aria-live="polite">{exact === "" ? <span class="soft">the empty text</span> : lines.slice(0, longestShown)}
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
      <span class="soft">{list ? `${count(items.length)} items` : `${count(items.length)} fields`}</span>
    </summary>
    {there && items.slice(0, all ? undefined : mostItems).map(([k, v]) =>
      <Branch key={k} name={k} value={v} open={items.length === 1} />
    )}
    {there && !all && items.length > mostItems &&
      <button type="button" class="quiet" onClick={() => showAll(true)}>All {count(items.length)}</button>}
  </details>;
}
