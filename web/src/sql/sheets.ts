// The worksheets that this browser keeps, each under a key of its own: two windows that save
// different sheets do not undo each other's work.
import { useEffect } from "preact/hooks";
import { link } from "../route";
import { kept as keptNow, useKept } from "../store";
import { removed } from "../ui/undo";
import type { Shown } from "../ui/result";
import { sql as T } from "../texts/en/sql";
import { say } from "../texts/say";

export type Where = "source" | "here" | "fetch";
export interface Cell {
  id: string; name: string; sql: string;
  /** A cell of words, in Markdown; it has no statement. */
  text?: string | undefined;
  look?: Shown | undefined;
  /** On a dashboard: as wide as the page. */ wide?: boolean | undefined;
  /** What its tile is called. */ title?: string | undefined;
}
export interface Sheet {
  id: string;
  name: string;
  where: Where;
  cells: Cell[];
  values: Record<string, string>;
  changed: number;
  closed?: boolean;
  /** After how many minutes its dashboard runs again what costs nothing. */ every?: number | undefined;
}
export interface Sheets {
  all: Sheet[];
  active: string;
  /** The browser has no room for what was written last. */
  full?: boolean;
}

const prefix = "da.sheet.", mostClosed = 50;
const fresh = () => Math.random().toString(36).slice(2, 10);

/** A sheet, if the text is one. */
export function read(text: string | null): Sheet | undefined {
  try {
    const s = JSON.parse(text ?? "") as Sheet;
    if (typeof s.id !== "string" || !s.cells?.length || !s.cells.every(c => typeof c.sql === "string"))
      return undefined;
    return { ...s, name: String(s.name ?? ""),
      values: Object.fromEntries(Object.entries(s.values ?? {}).map(([k, v]) => [k, String(v)])),
      where: /^(here|fetch)$/.test(s.where) ? s.where : "source",
      every: Number(s.every) > 0 ? Math.max(Number(s.every), 0.05) : undefined, // a link may say anything
      cells: s.cells.map((c, i) => ({ id: String(c.id ?? fresh()),
        name: /^[a-z_]\w*$/i.test(c.name) ? c.name : `cell${i + 1}`, sql: c.sql,
        ...(typeof c.text === "string" ? { text: c.text, sql: "" } : {}), ...(c.wide ? { wide: true } : {}),
        ...(c.title ? { title: String(c.title).slice(0, 200) } : {}),
        ...(/^(rows|summary|chart)$/.test(c.look?.view ?? "") ? { look: c.look } : {}) })
      ) };
  } catch {
    return undefined;
  }
}

/** The sheet of a link: one of its own, whatever the one that it was made of is called here. */
export function fromLink(text: string | null): Sheet | undefined {
  const s = read(text);
  return s && { ...newSheet("", s.where, s.cells), name: s.name, values: s.values, every: s.every };
}

/** The first name of a cell that is free. */
export function nextName(cells: Cell[]): string {
  let n = cells.length + 1;
  while (cells.some(c => c.name === `cell${n}`)) n++;
  return `cell${n}`;
}

export function newSheet(sql = "", where: Where = "source", cells?: Omit<Cell, "id">[]): Sheet {
  return { id: fresh(), name: "", where, values: {}, changed: Date.now(),
    cells: (cells ?? [{ name: "cell1", sql }]).map(c => ({ ...c, id: fresh() })) };
}

/** What a sheet is called: its name, or what its statements read. */
export function titleOf(s: Sheet): string {
  if (s.name) return s.name;
  const sql = s.cells.map(c => c.sql).join(" ");
  const table = /\b(?:from|join)\s+["`]?([\w@.]+)/i.exec(sql)?.[1];
  return table ?? (sql.trim().slice(0, 24) || T.newSheet);
}

/** Whether nothing is written in a sheet. */
export const blank = (s: Sheet) => s.cells.every(c => !c.sql.trim() && !c.text?.trim());

/** The address that holds a whole sheet, as statements or as a dashboard, which may have a name. */
export const addressOf = (s: Sheet, part: "sql" | "dashboard", name?: string) =>
  link(name ? [part, name] : [part], {
    sheet: JSON.stringify({ id: "link", name: s.name, where: s.where, values: s.values, every: s.every,
      cells: s.cells }),
  });

/** Whether two sheets have the same statements at one place. */
export const alike = (a: Sheet, b: Sheet) =>
  a.where === b.where && a.cells.map(c => c.sql.trim()).join("\0") === b.cells.map(c => c.sql.trim()).join("\0") &&
  a.cells.map(c => c.text ?? "").join("\0") === b.cells.map(c => c.text ?? "").join("\0");

/** The sheets of this browser, the oldest first. */
export const stored = (): Sheet[] =>
  Object.keys(localStorage).filter(k => k.startsWith(prefix)).flatMap(k => read(localStorage.getItem(k)) ?? [])
    .sort((a, b) => a.changed - b.changed);

function load(): Sheets {
  const all = stored();
  const active = sessionStorage.getItem("da.sheet") ?? "";
  const open = all.filter(s => !s.closed);
  return { all, active: open.some(s => s.id === active) ? active : open.at(-1)?.id ?? "" };
}

const store = (s: Sheet): boolean => {
  try { localStorage.setItem(prefix + s.id, JSON.stringify(s)); return true; } catch { return false; }
};

/** The sheets, one of which is shown; what changes is kept at once. */
export function useSheets() {
  const [kept, set] = useKept<Sheets | undefined>("sheets", undefined);
  const now = kept ?? load();
  if (!now.active) {
    const first = newSheet();
    now.all.push(first);
    now.active = first.id;
  }
  useEffect(() => { if (!kept) set(now); }, []);
  useEffect(() => {
    // Another window of this browser has changed a sheet.
    const follow = (e: StorageEvent) => {
      if (!e.key?.startsWith(prefix)) return;
      const theirs = read(e.newValue), id = e.key.slice(prefix.length);
      if (theirs && id !== now.active) set({ ...latest(), all: [...now.all.filter(s => s.id !== id), theirs] });
    };
    addEventListener("storage", follow);
    return () => removeEventListener("storage", follow);
  });
  /** A handler of an earlier render must not bring back what has changed since. */
  const latest = () => Object.assign(now, keptNow<Sheets>("sheets"));
  const show = (id: string, all = latest().all) => {
    sessionStorage.setItem("da.sheet", id);
    set({ ...now, all, active: id });
  };
  const put = (sheet: Sheet, activate = false) => {
    latest();
    const own = { ...sheet, changed: Date.now() }, full = !store(own), known = now.all.some(s => s.id === own.id);
    now.all = known ? now.all.map(s => s.id === own.id ? own : s) : [...now.all, own];
    if (activate) sessionStorage.setItem("da.sheet", own.id);
    Object.assign(now, { active: activate ? own.id : now.active, full });
    set({ ...now });
  };
  const drop = (s: Sheet) => {
    localStorage.removeItem(prefix + s.id);
    set({ ...latest(), all: now.all.filter(o => o.id !== s.id) });
    removed(say(T.sheetIsRemoved, { what: titleOf(s) }), () => {
      store(s);
      const latest = keptNow<Sheets>("sheets");
      if (latest) set({ ...latest, all: [...latest.all, s] });
    });
  };
  return {
    ...now, open: now.all.filter(s => !s.closed), sheet: now.all.find(s => s.id === now.active)!, show, put, drop,
    now: (id: string) => keptNow<Sheets>("sheets")?.all.find(s => s.id === id) ?? now.all.find(s => s.id === id)!,
    /** A closed sheet can be opened again; one without a statement goes. */
    close: (s: Sheet) => {
      const open = latest().all.filter(o => !o.closed), at = open.findIndex(o => o.id === s.id),
        next = open[at + 1] ?? open[at - 1] ?? newSheet();
      const empty = blank(s);
      if (empty) localStorage.removeItem(prefix + s.id);
      else store({ ...s, closed: true });
      let all = empty ? now.all.filter(o => o.id !== s.id)
        : now.all.map(o => o.id === s.id ? { ...s, closed: true } : o);
      const old = all.filter(o => o.closed).sort((a, b) => b.changed - a.changed).slice(mostClosed);
      old.forEach(o => localStorage.removeItem(prefix + o.id));
      all = all.filter(o => !old.includes(o));
      if (!all.includes(next)) all.push(next);
      show(next.id, all);
    },
  };
}
