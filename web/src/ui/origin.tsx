// Where a figure comes from: its statement, what that read and of when, what is to know of it, and its cell.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { get } from "../api";
import { time } from "../format";
import { text as exact } from "../values";
import { link } from "../route";
import { tablesIn } from "../sql/text";
import { asFailure, useAsked } from "../use";
import { download, fileName } from "./copy";
import { lines } from "./csv";
import { Notice, Warnings } from "./notice";
import type { Caveat, PageSnapshot, Schema, Value } from "../types";
import { ui as T } from "../texts/en/ui";
import { rich, say } from "../texts/say";

const wheres = { source: T.atSource, here: T.onThisMachine, fetch: T.onThisMachineWithWhat };

/** What rows rest on. */
export interface Origin {
  name: string; sql: string;
  /** here: over snapshots of this machine; undefined: it is not known. */ where?: keyof typeof wheres | undefined;
  /** When it ran, in ms. */ at?: number | undefined;
  caveats: Caveat[];
}
/** A cell of these rows; row counts from 0, in the order in which they are shown. */
export interface Figure { value: Value; column: string; row: number }

/** Of the rows that are shown below; cells know it by this. */
export const Origins = createContext<Origin | undefined>(undefined);

/** What a statement read. */
interface Read { name: string; kind: "table" | "snapshot"; of?: string; condition?: string | null; as_of?: string }

async function read({ sql, where }: Origin, signal: AbortSignal): Promise<Read[]> {
  const names = [...new Set(tablesIn(sql).map(t => t.table))].slice(0, 20);
  const own = !where || where === "source" ? [] : await get<PageSnapshot[]>("/api/page/desk/snapshots", signal);
  const all = await Promise.all(names.map(async (name): Promise<Read | undefined> => {
    const s = own.find(s => s.name.toLowerCase() === name.toLowerCase());
    if (s) return { name, kind: "snapshot", of: s.table_id || s.file || "", condition: s.where, as_of: s.fetched_at };
    try {
      const t = await get<Schema>(`/api/v2/schema/${encodeURIComponent(name)}`, signal);
      return { name, kind: "table", ...t.as_of ? { as_of: t.as_of } : {} };
    } catch (e) {
      const { status } = asFailure(e);
      if (status >= 400 && status < 500) return undefined; // a step of the statement, not a table
      throw e;
    }
  }));
  return all.filter(r => r !== undefined);
}

/** The source of some rows, or of one figure of them, which can be taken along as a file. */
export function FromWhere({ of, figure: f }: { of: Origin; figure?: Figure | undefined }) {
  const inputs = useAsked(signal => read(of, signal), [of.sql, of.where]), ran = of.at && new Date(of.at).toISOString();
  const all = inputs.data ?? [];
  const facts = { ...f ? { figure: f.value, column: f.column, shown_row: f.row + 1 } : {}, statement: of.sql,
    place: of.where ? wheres[of.where] : null, ran_at: ran ?? null, read: all, caveats: of.caveats };
  const file = `source of ${f ? `${f.column} in row ${f.row + 1} of ` : ""}${of.name}`;
  return <div class="origin small">
    <pre>{of.sql}</pre>
    <p>
      {of.where && say(T.ran,
        { wheres: wheres[of.where], what: ran ? `, ${time(ran)}` : "" })}{all.length > 0 && T.itRead}
      {all.map((r, i) =>
        <span key={r.name}>
          {i > 0 && "; "}
          {r.kind === "table" ? "" : T.snapshot}
          <a href={link([r.kind === "table" ? "tables" : "snapshots", r.name])}>{r.name}</a>
          {r.of && r.of !== r.name && say(T.of, { of: r.of })}
          {r.condition && <>{" "}{rich(T.where, { condition: <code>{r.condition}</code> })}</>}
          {r.as_of && say(T.asOf, { asOf: time(r.as_of) })}
        </span>
      )}
      {all.length > 0 && "."}
    </p>
    {inputs.error && <Notice error={inputs.error} />}
    <Warnings caveats={of.caveats} />
    <div class="bar">
      <button type="button" class="quiet" data-do={T.exportSourceAsJSON} disabled={inputs.loading} onClick={() =>
        download(fileName(file, "json"), "application/json", JSON.stringify(facts, null, 1) + "\n")}>
        {T.sourceAsJSON}
      </button>
      <button type="button" class="quiet" data-do={T.exportSourceAsCSV} disabled={inputs.loading} onClick={() => {
        const given = Object.entries(facts).map(([name, v]) => [name, name === "read" ? all.map(said).join("; ")
          : name === "caveats" ? of.caveats.map(c => c.text).join("; ") : exact(v as Value)]);
        download(fileName(file, "csv"), "text/csv", lines(given.map(g => ({ name: g[0]! })), [given.map(g => g[1]!)],
          ","));
      }}>
        {T.csv}
      </button>
    </div>
  </div>;
}

/** What was read, as a line. */
const said = (r: Read) => [`${r.kind} ${r.name}`, r.of && r.of !== r.name && `of ${r.of}`,
  r.condition && `where ${r.condition}`, r.as_of && `as of ${r.as_of}`].filter(Boolean).join(" ");

/** The same of a cell, where its rows tell what they rest on. */
export function FromHere(f: Figure) {
  const of = useContext(Origins);
  return of ? <FromWhere of={of} figure={f} /> : null;
}
