// The palette: a few letters to any place, and the keys that the page knows.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get } from "../api";
import { link } from "../route";
import { aboutOf, askKnown, sheetOf, type Known } from "../known/knowledge";
import { saved, valuesOf } from "../sql/saved";
import { addressOf, newSheet, titleOf, stored } from "../sql/sheets";
import { setTheme } from "../theme";
import { useAsked, useSettled } from "../use";
import type { InstanceDashboard, PageSnapshot, PageTables } from "../types";
import { ui as T } from "../texts/en/ui";

interface Entry { kind: string; text: string; to?: string; run?: () => void }

export interface PaletteProps { parts: { id: string; label: string }[]; desk: boolean;
  dashboards: InstanceDashboard[]; close: () => void }

export function Palette({ parts, desk, dashboards, close }: PaletteProps) {
  const box = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState(""), [at, setAt] = useState(0);
  const settled = useSettled(words.trim(), 120);
  const tables = useAsked(async signal => ({ of: settled,
    ...await get<PageTables>(`/api/page/tables?${new URLSearchParams({ q: settled.slice(0, 200), limit: "8" })}`,
      signal) }), [settled]);
  const snapshots = useAsked(async signal => desk ? get<PageSnapshot[]>("/api/page/desk/snapshots", signal) : [], []);
  const known = useAsked(async signal => learnt(await all(signal), desk), []);
  const [mine] = useState(() => [
    ...dashboards.map((d): Entry => ({ kind: T.dashboard, text: d.name || d.id, to: link(["dashboard", d.id]) })),
    ...stored().map((s): Entry => ({ kind: s.closed ? T.closedSheet : T.sheet, text: titleOf(s),
      to: link(["sql"], { open: s.id }) })),
    ...saved.list().filter(s => s.kept || !s.error).map((s): Entry => ({ kind: s.kept ? T.savedStatement : T.statement,
      text: `${s.sql.replace(/\s+/g, " ")} ${valuesOf(s)}`.trim(), to: s.values && valuesOf(s)
        ? addressOf({ ...newSheet(s.sql), values: s.values }, "sql") : link(["sql"], { q: s.sql.slice(0, 4000) }) })),
  ]);
  // What the page that is shown can do now; a button says it where that is of use.
  const [does] = useState(() => [...document.querySelectorAll<HTMLElement>("#main [data-do]:not(:disabled)")]
    .map((b): Entry => ({ kind: T.do, text: b.dataset.do!, run: () => b.click() })));
  const entries = useMemo(() => {
    const said = known.data ?? [];
    const wanted = settled.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (e: Entry) => wanted.every(w =>
      e.text.toLowerCase().includes(w) || w.length > 3 && e.kind.includes(w)
    );
    const fixed: Entry[] = [
      ...parts.map(p => ({ kind: T.goTo, text: p.label, to: link([p.id]) })),
      { kind: T.do, text: T.newSheet, to: link(["sql"], { new: "1" }) },
      ...(["light", "dark", "system"] as const).map(t =>
        ({ kind: T.appearance, text: T[t], run: () => setTheme(t) })),
      { kind: T.help, text: T.keysOfThisPage, run: () => dispatchEvent(new CustomEvent("keyshelp")) },
    ];
    const found = (tables.data?.tables ?? []).map(t => ({ kind: T.table, text: t.id, to: link(["tables", t.id]) }));
    const shots = (snapshots.data ?? []).map(s =>
      ({ kind: T.snapshot2, text: s.name, to: link(["snapshots", s.name]) })).filter(fits);
    return (wanted.length
      ? [...does.filter(fits), ...shots.slice(0, 6), ...found, ...fixed.filter(fits),
        ...said.filter(fits).slice(0, 12), ...mine.filter(fits).slice(0, 12)]
      : [...fixed.slice(0, parts.length), ...does, ...mine.slice(0, 6), ...found, ...fixed.slice(parts.length)]);
  }, [settled, tables.data, snapshots.data, known.data]);
  const chosen = Math.min(at, entries.length - 1);
  useEffect(() => { box.current!.showModal(); }, []);
  useEffect(() => document.getElementById(`palette-${chosen}`)?.scrollIntoView({ block: "nearest" }), [chosen]);
  // Who types fast and presses Enter goes to what fits all of the words.
  const [wanted, want] = useState(false), ready = tables.data?.of === words.trim() || !!tables.error;
  useEffect(() => { if (wanted && ready) go(entries[chosen]); }, [wanted, ready]);
  const go = (e: Entry | undefined) => {
    if (!e) return;
    close();
    if (e.to) location.hash = e.to;
    e.run?.();
  };
  return <dialog class="palette" ref={box} aria-label={T.palette} onClose={close} onClick={e => {
    if (e.target === box.current) close();
  }}>
    <input role="combobox" aria-label={T.findTableQuestionTerm} aria-expanded={true}
      aria-controls="palette-list" aria-activedescendant={chosen >= 0 ? `palette-${chosen}` : undefined}
      placeholder={T.findTableQuestionTerm} value={words} spellcheck={false} autofocus
      onInput={e => {
        setWords(e.currentTarget.value);
        want(false);
        setAt(0);
      }} onKeyDown={e => {
        if (e.key === "ArrowDown") setAt(Math.min(entries.length - 1, chosen + 1));
        else if (e.key === "ArrowUp") setAt(Math.max(0, chosen - 1));
        else if (e.key === "Enter") ready ? go(entries[chosen]) : want(true);
        else return;
        e.preventDefault();
      }} />
    <ul role="listbox" id="palette-list" aria-label={T.whatFits}>
      {entries.map((e, i) =>
        <li key={e.kind + e.text + i} id={`palette-${i}`} role="option" aria-selected={i === chosen}
          onClick={() => go(e)}>
          <span>{e.text.slice(0, 200)}</span>
          <span class="soft small">{e.kind}</span>
        </li>
      )}
    </ul>
    {!entries.length && <p class="soft" role="status">{tables.loading ? "…" : T.nothingFits}</p>}
  </dialog>;
}

interface Learnt { known: Known; metrics: { name: string; description?: string; inner?: boolean; table?: string }[];
  tables: { name: string; table_id?: string }[]; conversations: { id: string; title?: string; question: string }[] }

/** What people and the model have said; where there is no model, there are no conversations. */
async function all(signal: AbortSignal): Promise<Learnt> {
  const none = { metrics: [], tables: [] };
  const [known, model, talks] = await Promise.all([askKnown(signal),
    get<Pick<Learnt, "metrics" | "tables">>("/api/v2/model", signal).catch(() => none),
    get<Pick<Learnt, "conversations">>("/api/agent/conversations", signal).catch(() => ({ conversations: [] }))]);
  return { known, ...none, ...model, conversations: talks.conversations };
}

/** Entries for questions, terms and notes, metrics, and conversations. */
function learnt({ known, metrics, tables, conversations }: Learnt, desk: boolean): Entry[] {
  const table = (name: string | undefined) => tables.find(t => t.name === name)?.table_id;
  return [
    ...known.questions.map(q => ({ kind: T.question, text: q.question, to: sheetOf(q, desk) })),
    ...known.notes.map(n => ({ kind: n.term ? T.term : T.note, text: `${aboutOf(n)}: ${n.text}`,
      to: n.table_id ? link(["tables", n.table_id, "related"]) : link(["known"]) })),
    ...metrics.filter(m => !m.inner && table(m.table)).map(m => ({ kind: T.metric,
      text: [m.name, m.description].filter(Boolean).join(": "),
      to: link(["tables", table(m.table)!, "related"]) })),
    ...conversations.map(c => ({ kind: T.conversation, text: c.title || c.question, to: link(["ask", c.id]) })),
  ];
}

const keys: [where: string, keys: [string, string][]][] = [
  [T.everywhere, [[T.ctrlK, T.findTableQuestionTermSheet], ["/", T.toSearchField],
    ["e", T.toStatementConditionQuestion], ["?", T.thisList], [T.escape, T.closeWhatIsOpen]]],
  [T.sql, [[T.ctrlEnter, T.runStatement], [T.ctrlSpace, T.proposeNames]]],
  [T.rows, [[T.arrowsPageUpPage, T.goThroughCells],
    [T.ctrlHomeCtrlEnd, T.toFirstOrLast],
    [T.shiftAndArrow, T.selectCells], [T.ctrl, T.selectAll], [T.ctrlC, T.copyWhatIsSelected],
    [T.enter, T.showValueWholeInHead], [T.spaceInHead, T.sort]]],
];

export function Keys({ close }: { close: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => { box.current!.showModal(); }, []);
  return <dialog class="palette keys" ref={box} aria-label={T.keysOfThisPage} onClose={close} onClick={e => {
    if (e.target === box.current) close();
  }}>
    <div class="bar">
      <h2 class="grow">{T.keysOfThisPage}</h2>
      <button class="quiet" autofocus onClick={close}>{T.close}</button>
    </div>
    {keys.map(([where, list]) =>
      <section key={where}>
        <h3>{where}</h3>
        <dl>
          {list.map(([k, what]) =>
            <div key={k}>
              <dt>{k.split(", ").map((one, i) => <>{i > 0 && " "}<kbd>{one}</kbd></>)}</dt>
              <dd>{what}</dd>
            </div>
          )}
        </dl>
      </section>
    )}
  </dialog>;
}
