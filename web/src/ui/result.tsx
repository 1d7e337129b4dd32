// The rows of a result: sorted, filtered, copied, exported, drawn.
import { useMemo, useState } from "preact/hooks";
import { count, text } from "../format";
import { lines } from "./csv";
import { Chart } from "../chart/chart";
import { Copy, download } from "./copy";
import { Grid } from "./grid";
import { Empty, Note, Warnings } from "./notice";
import { WholeFile } from "./whole";
import { cutBy, type PageColumn, type PageRows, type Value, type Whole } from "../types";

export interface Order { at: number; down: boolean }

/** Give it a key for each run: order, filter and chart are of one result. */
export function Result(
  { rows: result, name, whole }: { rows: PageRows; name: string; /** How all rows are to be had. */
    whole?: Whole | undefined },
) {
  const [order, setOrder] = useState<Order>();
  const [words, setWords] = useState("");
  const [view, setView] = useState<"rows" | "chart">("rows");
  const cut = cutBy(result);
  const file = name + (result.more ? `-first-${result.shown}-rows` : "") + (words.trim() ? "-filtered" : "");
  const shown = useMemo(() => arrange(result, words, order), [result, words, order]);
  const sortBy = (at: number) =>
    setOrder(o => o?.at !== at ? { at, down: false } : o.down ? undefined : { at, down: true });
  return <section class="result">
    <div class="bar">
      <p class="soft small" role="status">
        {words ? `${count(shown.length)} of ${count(result.shown)} rows`
          : `${count(result.shown)} ${result.shown === 1 ? "row" : "rows"}`}
        {cut ? " (a part: the result was cut)" : result.more && " (the first; there may be more)"}
        {result.elapsed_ms != null && ` · ${count(result.elapsed_ms)} ms`}
      </p>
      <span class="grow" />
      <div class="segments" role="group" aria-label="Show as">
        <button aria-pressed={view === "rows"} onClick={() => setView("rows")}>Rows</button>
        <button aria-pressed={view === "chart"} onClick={() => setView("chart")}>Chart</button>
      </div>
      <label class="find">
        <span class="hidden">Filter the rows</span>
        <input type="search" placeholder="Filter rows" value={words} onInput={e => setWords(e.currentTarget.value)} />
      </label>
      <span class="together">
        <Copy text={() => lines(result.columns, shown, "\t")} label="Copy rows" />
        <button class="quiet" onClick={() => download(`${file}.csv`, "text/csv", lines(result.columns, shown, ","))}>
          CSV
        </button>
        <button class="quiet"
          onClick={() => download(`${file}.json`, "application/json", objects(result.columns, shown))}>
          JSON
        </button>
      </span>
    </div>
    <Warnings caveats={result.caveats} />
    {result.more && result.shown > 0 && !whole && <p class="soft small">
      CSV, JSON and Copy take the rows that are shown; <code>da query</code> and <code>da fetch</code>{" "}
      bring all of them.
    </p>}
    {whole && !cut && result.shown > 0 && <WholeFile of={whole} name={name} partly={result.more} />}
    {result.shown === 0 ? cut || result.more ? <Empty title="No rows came">
      <p>Whether any matched is not known: the result was cut before its first row.</p>
    </Empty>
      : <Empty title="No rows">
        <p>The statement ran, and nothing matched.</p>
      </Empty>
      : view === "rows"
      ? <Grid name={`Rows of ${name}`} columns={result.columns} rows={shown} order={order} sortBy={sortBy} />
      : cut ? <Note kind="warn">No chart is drawn of a result that was cut: it would show a part as the whole.</Note>
      : <>
        <Chart columns={result.columns} rows={shown} name={file} />
        {result.more && <Note kind="warn">The chart shows the first {count(result.shown)} rows of more.</Note>}
      </>}
  </section>;
}

/** The rows with all of the words, in the order that was asked for. */
function arrange(result: PageRows, words: string, order?: Order): Value[][] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  let rows = result.rows;
  if (wanted.length) {
    rows = rows.filter(r => {
      const all = r.map(text).join("\t").toLowerCase();
      return wanted.every(w => all.includes(w));
    });
  }
  if (!order) return rows;
  const { at, down } = order, numeric = result.columns[at]?.numeric ?? false;
  return [...rows].sort((a, b) => compare(a[at] ?? null, b[at] ?? null, numeric, down));
}

/** NULL is last in both directions. */
function compare(a: Value, b: Value, numeric: boolean, down: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const c = numeric ? Number(a) - Number(b) : text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0;
  return down ? -c : c;
}

function objects(columns: PageColumn[], rows: Value[][]): string {
  return JSON.stringify(rows.map(r => Object.fromEntries(columns.map((c, i) => [c.name, r[i] ?? null]))), null, 1);
}
