// A sheet as one page that needs nothing else: statements, rows, charts, and what is to be known of them.
import { draw } from "../chart/draw";
import { propose, type Choice } from "../chart/chart";
import { count, readable } from "../format";
import { kept } from "../store";
import { arrange, told } from "../ui/arrange";
import { partOf } from "../ui/kept";
import { sentence } from "../ui/notice";
import { titleOf, type Sheet } from "./sheets";
import { bare } from "./text";
import type { Look } from "../ui/result";
import type { KeptResult, PageColumn, Value } from "../types";
import type { Run } from "./run";

const mostRows = 1000, widest = 400; // rows of a table, characters of a value

export const escaped = (text: string) => text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);

const style = `body{font:15px/1.5 system-ui,sans-serif;color:#191c1b;max-width:1100px;margin:32px auto;padding:0 20px}
pre{background:#eef0ee;padding:12px;border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere}
.rows{overflow-x:auto}table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{border-bottom:1px solid #dfe3e0;padding:4px 10px;text-align:left;vertical-align:top;overflow-wrap:anywhere}
.n{text-align:right}.soft,.null{color:#59605d}.warn{background:#fdf3dd;color:#7a4d00;padding:8px 12px;border-radius:8px}
svg{max-width:100%;height:auto}h2{margin-top:36px}@media print{h2,svg{break-inside:avoid}}`;

const utc = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace("T", " ") + " UTC";

/** The whole page. Nothing in it runs or loads. */
export async function report(sheet: Sheet): Promise<string> {
  const parts = [];
  for (const cell of sheet.cells) {
    const run = kept<Run>("run " + cell.id);
    if (run?.rows) parts.push(await one(cell.name, bare(cell.sql), run));
  }
  const values = Object.entries(sheet.values).filter(([, v]) => v !== "")
    .map(([k, v]) => `<code>$${escaped(k)}</code> = ${escaped(v)}`).join(", ");
  return `<!doctype html><html lang="en"><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><title>${escaped(titleOf(sheet))}</title><style>${style}</style>
<h1>${escaped(titleOf(sheet))}</h1>
<p class="soft">Saved ${utc(Date.now())} by da.${values && ` With ${values}.`}</p>
${parts.join("\n") || "<p>No statement has been run.</p>"}</html>\n`;
}

async function one(name: string, sql: string, run: Run): Promise<string> {
  const result = run.rows!, id = run.at!, look = kept<Look>("look " + id);
  const part = look?.part ?? { words: "", where: [] };
  const all = kept<{ result?: KeptResult }>("whole " + id)?.result;
  const window = all && await partOf(all, part, 0, mostRows, new AbortController().signal);
  const whole = window ? window.rows : arrange(result, part), found = window ? window.found : whole.length;
  const places = look?.places ?? result.columns.map((_, at) => at);
  const columns = places.map(p => result.columns[p]!), rows = whole.map(r => places.map(p => r[p] ?? null));
  const filters = [...part.where.map(c => told(c, result.columns)), ...(part.words.trim() ? [`"${part.words}"`] : [])];
  const known = (all?.caveats ?? result.caveats).map(c => `<p class="warn">${escaped(sentence(c.text))}</p>`).join("");
  const shown = Math.min(rows.length, mostRows);
  const size = [`${count(found)} ${found === 1 ? "row" : "rows"}${result.more && !all ? " (the first of more)" : ""}`,
    ...(filters.length ? [`only with ${filters.join(", ")}`] : []),
    ...(shown < found ? [`${count(shown)} are here`] : [])];
  return `<h2>${escaped(name)}</h2><pre>${escaped(sql)}</pre>${known}
<p class="soft">${escaped(size.join("; "))}. Run ${utc(Number(id))}.</p>
${look?.view === "chart" ? await chart(columns, rows, kept<Choice>("chart " + id + places.join())) : ""}
${table(columns, rows.slice(0, mostRows))}`;
}

function table(columns: PageColumn[], rows: Value[][]): string {
  const cell = (v: Value, c: PageColumn) =>
    v === null ? `<td class="null">NULL</td>`
      : `<td${c.numeric ? ' class="n"' : ""}>${escaped(readable(v, c).slice(0, widest))}</td>`;
  return `<div class="rows"><table><thead><tr>${
    columns.map(c => `<th${c.numeric ? ' class="n"' : ""}>${escaped(c.name)}</th>`).join("")
  }</tr></thead><tbody>${
    rows.map(r => `<tr>${r.map((v, i) => cell(v, columns[i]!)).join("")}</tr>`).join("\n")
  }</tbody></table></div>`;
}

async function chart(columns: PageColumn[], rows: Value[][], choice = propose(columns, rows)): Promise<string> {
  const box = document.body.appendChild(document.createElement("div"));
  box.style.cssText = "position:absolute;left:-2000px;width:960px";
  try {
    const drawn = await draw(box, columns, rows, choice);
    const svg = await drawn.svg("");
    drawn.end();
    return svg;
  } finally {
    box.remove();
  }
}
