// A sheet as one page that needs nothing else: statements, rows, charts, and what is to be known of them.
import { h, render } from "preact";
import { draw } from "../chart/draw";
import { doubled, gathered, leftOut, maxMarks, ofGroups, partly, placed, propose, settle, type Choice,
  type Groups } from "../chart/choice";
import { count, plural } from "../format";
import { readable } from "../values";
import { kept } from "../store";
import { arrange, told, type Part } from "../ui/arrange";
import { groupsOf, partOf } from "../ui/kept";
import { sentence } from "../ui/notice";
import { titleOf, type Cell, type Sheet } from "./sheets";
import type { Look } from "../ui/result";
import type { KeptResult, PageColumn, Value } from "../types";
import type { Run } from "./run";
import { sql as T } from "../texts/en/sql";
import { locale } from "../texts/language";
import { say } from "../texts/say";

const mostRows = 1000, widest = 400; // rows of a table, characters of a value

export const escaped = (text: string) => text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);

const style = `body{font:15px/1.5 system-ui,sans-serif;color:#191c1b;max-width:1200px;margin:32px auto;padding:0 20px}
pre{background:#eef0ee;padding:12px;border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere}
.rows{overflow-x:auto}table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{border-bottom:1px solid #dfe3e0;padding:4px 10px;text-align:left;vertical-align:top;overflow-wrap:anywhere}
.n{text-align:right}.soft,.null{color:#59605d}.warn{background:#fdf3dd;color:#7a4d00;padding:8px 12px;border-radius:8px}
svg{max-width:100%;height:auto}h2{margin:0 0 8px;font-size:18px}summary{color:#59605d;font-size:13px}
main{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(480px,100%),1fr));gap:28px}
section{min-width:0}.wide{grid-column:1/-1}.large{display:flex;flex-wrap:wrap;gap:8px 36px;margin:0}
.large dd{margin:0;font-size:30px}.rows{max-height:480px;overflow-y:auto}
@media print{section,svg{break-inside:avoid}.rows{max-height:none}}`;

const utc = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace("T", " ") + " UTC";

/** The whole page. Nothing in it runs or loads. */
export async function report(sheet: Sheet): Promise<string> {
  const parts = [];
  for (const cell of sheet.cells) {
    const run = kept<Run>("run " + cell.id);
    if (cell.text !== undefined) parts.push(`<section class="wide">${await words(cell.text)}</section>`);
    else if (run?.rows) parts.push(await one(cell, run));
  }
  const values = Object.entries(sheet.values).filter(([, v]) => v !== "")
    .map(([k, v]) => `<code>$${escaped(k)}</code> = ${escaped(v)}`).join(", ");
  return `<!doctype html><html lang="${locale}"><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><title>${escaped(titleOf(sheet))}</title><style>${style}</style>
<h1>${escaped(titleOf(sheet))}</h1>
<p class="soft">${say(T.saved, { at: utc(Date.now()) })}${values && say(T.with2, { values })}</p>
<main>${parts.join("\n") || `<p>${T.noStatementHasBeenRun}</p>`}</main></html>\n`;
}

/** Markdown as what the page itself shows of it. */
async function words(text: string): Promise<string> {
  const { Markdown } = await import("../ask/markdown"), box = document.createElement("div");
  render(h(Markdown, { text }), box);
  return box.innerHTML;
}

async function one(cell: Cell, run: Run): Promise<string> {
  const result = run.rows!, id = run.at!, look = kept<Look>("look " + id);
  const part = look?.part ?? { words: "", where: [] };
  const all = kept<{ result?: KeptResult }>("whole " + id)?.result;
  const window = all && await partOf(all, part, 0, mostRows, new AbortController().signal);
  const whole = window ? window.rows : arrange(result, part), found = window ? window.found : whole.length;
  const places = look?.places ?? result.columns.map((_, at) => at);
  const columns = places.map(p => result.columns[p]!), rows = whole.map(r => places.map(p => r[p] ?? null));
  const filters = [...part.where.map(c => told(c, result.columns)), ...(part.words.trim() ? [`"${part.words}"`] : [])];
  const known = (all?.caveats ?? result.caveats).map(c => `<p class="warn">${escaped(sentence(c.text))}</p>`).join("");
  const shown = Math.min(rows.length, mostRows), drawn = (look?.view ?? cell.look?.view) === "chart",
    more = result.more && !all;
  const size = [`${plural(found, T.nRows)}${more ? T.firstOfMore : ""}`,
    ...(filters.length ? [say(T.onlyWith, { filters: filters.join(", ") })] : []),
    ...(shown < found && !drawn ? [say(T.areHere, { shown: count(shown) })] : [])];
  const chosen = kept<Choice>("chart " + id + places.join()) ?? placed(cell.look?.chart, columns);
  const group = all && found > maxMarks ? (c: Choice) => groupsOf(all, part, c, places) : undefined;
  const marks = all && drawn && !group ? await every(all, part, found, places) : rows;
  const choice = chosen ?? propose(columns, marks);
  const notes = more ? [partly(rows.length, null)] : [];
  const body = drawn && !choice.none ? await chart(columns, marks, notes, group, choice)
    : rows.length === 1 && !more && columns.length <= 6 ? figures(columns, rows[0]!)
    : table(columns, rows.slice(0, mostRows));
  const ran = say(T.ranAt, { at: utc(Number(id)) });
  return `<section${cell.wide ? ' class="wide"' : ""}>
<h2>${escaped(cell.title || (cell.look?.chart?.title ?? cell.name))}</h2>${known}${body}
<details><summary>${escaped(size.join("; "))}. ${ran}</summary><pre>${escaped(run.sql ?? "")}</pre>
</details></section>`;
}

/** All rows of a part that can be drawn. */
async function every(all: KeptResult, part: Part, found: number, places: number[]): Promise<Value[][]> {
  const rows: Value[][] = [];
  while (rows.length < found) {
    const more = await partOf(all, part, rows.length, mostRows, new AbortController().signal);
    if (!more.rows.length) break;
    rows.push(...more.rows.map(r => places.map(p => r[p] ?? null)));
  }
  return rows;
}

const figures = (columns: PageColumn[], row: Value[]) =>
  `<dl class="large">${
    columns.map((c, i) => `<div><dt>${escaped(c.name)}</dt><dd>${escaped(readable(row[i], c))}</dd></div>`).join("")
  }</dl>`;

function table(columns: PageColumn[], rows: Value[][]): string {
  const cell = (v: Value, c: PageColumn) =>
    v === null ? `<td class="null">NULL</td>`
      : `<td${c.numeric ? ' class="n"' : ""}>${escaped(readable(v, c).slice(0, widest))}</td>`;
  return `<div class="rows" tabindex="0"><table><thead><tr>${
    columns.map(c => `<th${c.numeric ? ' class="n"' : ""}>${escaped(c.name)}</th>`).join("")
  }</tr></thead><tbody>${
    rows.map(r => `<tr>${r.map((v, i) => cell(v, columns[i]!)).join("")}</tr>`).join("\n")
  }</tbody></table></div>`;
}

async function chart(columns: PageColumn[], rows: Value[][], notes: string[],
  group: ((c: Choice) => Promise<Groups>) | undefined, picked: Choice): Promise<string>
{
  const choice = settle(picked, columns, rows, !!group), groups = group && await gathered(group, choice, columns),
    what = groups ? ofGroups(groups, columns, choice) : { ...doubled(columns, rows, choice), labels: { notes } };
  const box = document.body.appendChild(document.createElement("div"));
  box.style.cssText = "position:absolute;left:-2000px;width:760px";
  try {
    const drawn = await draw(box, what.columns, what.rows, what.choice, what.labels);
    const out = leftOut(what.columns, what.rows, what.choice), svg = await drawn.svg("", out ? [out] : []);
    drawn.end();
    return svg;
  } finally {
    box.remove();
  }
}
