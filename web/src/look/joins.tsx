// The tables that one can be joined with, drawn and listed.
import { get } from "../api";
import { link } from "../route";
import { useAsked } from "../use";
import { quoted } from "../sql/text";
import { List } from "../ui/list";
import { Notice, Waiting, Warnings } from "../ui/notice";
import { pairsOf, type ColumnPair, type Join } from "../sql/complete";
import type { Caveat, Schema } from "../types";
import { look as T } from "../texts/en/look";
import { say } from "../texts/say";

export function Joins({ schema: s }: { schema: Schema }) {
  const path = `/api/page/tables/${encodeURIComponent(s.table_id)}/joins`;
  const found = useAsked(signal => get<{ joins: Join[]; caveats: Caveat[] }>(path, signal), [path]);
  if (found.error) return <Notice error={found.error} />;
  if (!found.data) return <Waiting what={T.joins} />;
  const { joins, caveats } = found.data, quote = (name: string) => quoted(name, /mysql|bigquery/.test(s.sql_flavor));
  const sql = (j: Join) =>
    `SELECT *\nFROM ${quote(j.table)} AS a\nJOIN ${quote(j.to)} AS b ON ${
      pairsOf(j).map(p => `a.${quote(p.column)} = b.${quote(p.to_column)}`).join(" AND ")}\nLIMIT 100`;
  return <section>
    <h2>{T.joins2}</h2>
    <Warnings caveats={caveats} />
    {joins.length > 0 && <Picture of={s.table_id} joins={joins} />}
    <List name={T.joins2} head={[T.column, T.to, T.rows, T.knownFrom, ""]} rows={joins}
      empty={T.noOtherTableIs} row={j => [
      <Name table={j.table} columns={pairsOf(j).map(p => p.column)} here={s.table_id} />,
      <Name table={j.to} columns={pairsOf(j).map(p => p.to_column)} here={s.table_id} />,
      j.multiplicity || <span class="soft">{T.notKnown}</span>,
      j.known_from === "names" ? T.namesGuess : j.known_from,
      <a href={link(["sql"], { q: sql(j) })}
        aria-label={say(T.openInSQLAnd, { column: j.column, toColumn: j.to_column })}>{T.openInSQL}</a>]} />
  </section>;
}

function Name({ table, columns, here }: { table: string; columns: string[]; here: string }) {
  const names = columns.length > 1 ? `(${columns.join(", ")})` : columns[0];
  return <code>
    {table === here ? table : <a href={link(["tables", table, "related"])}>{table}</a>}.{names}
  </code>;
}

interface Box { table: string; columns: string[]; x: number; y: number }

const width = 190, head = 32, row = 24, gap = 14, between = 120, mostBoxes = 12;
const short = (text: string) => text.length > 23 ? text.slice(0, 22) + "…" : text;
const height = (b: Box) => head + row * b.columns.length + 6;
const at = (b: Box, column: string) => b.y + head + row * (b.columns.indexOf(column) + .5);

/** Boxes of one side, below each other. */
function stack(pairs: [table: string, column: string][], x: number): Box[] {
  const all = new Map<string, Box>();
  for (const [table, column] of pairs) {
    const b = all.get(table) ?? { table, columns: [], x, y: 0 };
    if (!b.columns.includes(column)) b.columns.push(column);
    all.set(table, b);
  }
  let y = 1;
  return [...all.values()].slice(0, mostBoxes).map(b => {
    const placed = { ...b, y };
    y += height(b) + gap;
    return placed;
  });
}

const ends = (boxes: Box[]) => Math.max(0, ...boxes.map(b => b.y + height(b)));

function Picture({ of, joins }: { of: string; joins: Join[] }) {
  const from = joins.filter(j => j.to === of), to = joins.filter(j => j.table === of);
  const middle = from.length ? 1 + width + between : 1;
  const columns = (joins: Join[], pair: (j: Join, p: ColumnPair) => [table: string, column: string]) =>
    joins.flatMap(j => pairsOf(j).map(p => pair(j, p)));
  const left = stack(columns(from, (j, p) => [j.table, p.column]), 1),
    right = stack(columns(to, (j, p) => [j.to, p.to_column]), middle + width + between);
  const own = stack([...columns(to, (_, p) => [of, p.column]), ...columns(from, (_, p) => [of, p.to_column])],
    middle)[0]!;
  const tall = Math.max(ends(left), ends(right), height(own) + 2),
    wide = middle + width + (to.length ? between + width : 0) + 1;
  own.y = Math.max(1, (tall - height(own)) / 2);
  // Each side in the middle of the picture.
  for (const side of [left, right]) for (const b of side) b.y += (tall - ends(side)) / 2;
  const missing = new Set(joins.flatMap(j => [j.table, j.to])).size - 1 - left.length -
    right.filter(b => !left.some(l => l.table === b.table)).length;
  return <div class="scroll er" tabIndex={0} role="region" aria-label={T.pictureOfJoins}>
    <svg style={{ width: wide, height: tall + 2 }} viewBox={`0 0 ${wide} ${tall + 2}`} role="img"
      aria-label={joins.slice(0, 20).map(j => say(T.columnTo,
        { column: `${j.table}.${j.column}`, other: `${j.to}.${j.to_column}` })).join(", ")}>
      {joins.map((j, i) => {
        const here = j.table === of ? right.find(b => b.table === j.to) : left.find(b => b.table === j.table);
        if (!here) return null;
        const [a, b] = j.table === of ? [own, here] : [here, own];
        return pairsOf(j).map((p, n) =>
          <Line key={`${i}.${n}`} x1={a.x + width} y1={at(a, p.column)} x2={b.x} y2={at(b, p.to_column)}
            rows={j.multiplicity ?? ""} />
        );
      })}
      {[own, ...left, ...right].map(b =>
        <g key={b.x + b.table} class={b === own ? "own" : "other"} onClick={() => {
          if (b !== own) location.hash = link(["tables", b.table, "related"]);
        }}>
          <title>{b.table}</title>
          <rect x={b.x} y={b.y} width={width} height={height(b)} rx="9" />
          <path d={`M${b.x} ${b.y + head - 3}h${width}`} />
          <text class="name" x={b.x + 12} y={b.y + 20}>{short(b.table)}</text>
          {b.columns.map(c => <text key={c} x={b.x + 12} y={at(b, c) + 4}>{short(c)}</text>)}
        </g>
      )}
    </svg>
    {missing > 0 && <p class="soft small">{say(T.moreInList, { missing })}</p>}
  </div>;
}

/** A line between two columns, whose ends say how many rows meet there; dashed: a guess. */
function Line({ x1, y1, x2, y2, rows }: { x1: number; y1: number; x2: number; y2: number; rows: string }) {
  const bend = (x2 - x1) / 2, [first, , last] = rows.split("-");
  const end = (x: number, y: number, many: boolean, d: number) =>
    many ? `M${x} ${y - 6}L${x + 11 * d} ${y}L${x} ${y + 6}` : `M${x + 8 * d} ${y - 6}v12`;
  return <g class="line">
    <path d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`} stroke-dasharray={rows ? "" : "4 4"} />
    {rows && <path d={end(x1, y1, first === "many", 1) + end(x2, y2, last === "many", -1)} />}
  </g>;
}
