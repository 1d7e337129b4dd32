// The rows of a result: sorted, filtered, copied, exported, drawn.
import { useMemo, useState } from "preact/hooks";
import { count } from "../format";
import { arrange, told, type Condition, type Order } from "./arrange";
import { lines } from "./csv";
import { Chart } from "../chart/chart";
import { Copy, download } from "./copy";
import { Grid } from "./grid";
import { Empty, Note, Warnings } from "./notice";
import { Summaries } from "./summaries";
import { WholeFile } from "./whole";
import { cutBy, type PageColumn, type PageRows, type Value, type Whole } from "../types";

/** Give it a key for each run: order, filter and chart are of one result. */
export function Result(
  { rows: result, name, whole }: { rows: PageRows; name: string;
    /** How all rows are to be had. */
    whole?: Whole | undefined },
) {
  const [order, setOrder] = useState<Order>();
  const [words, setWords] = useState("");
  const [view, setView] = useState<"rows" | "summary" | "chart">("rows");
  const [conditions, setConditions] = useState<Condition[]>([]);
  const [places, setPlaces] = useState(() => result.columns.map((_, at) => at));
  const cut = cutBy(result);
  const file = name + (result.more ? `-first-${result.shown}-rows` : "") +
    (words.trim() || conditions.length ? "-filtered" : "");
  const matching = useMemo(() => arrange(result, words, conditions, order), [result, words, conditions, order]);
  const own = places.every((p, i) => p === i) && places.length === result.columns.length;
  const columns = useMemo(() => own ? result.columns : places.map(p => result.columns[p]!), [result, places]);
  const shown = useMemo(() => own ? matching : matching.map(r => places.map(p => r[p] ?? null)), [matching, places]);
  const sortBy = (place: number) => {
    const at = places[place]!;
    setOrder(o => o?.at !== at ? { at, down: false } : o.down ? undefined : { at, down: true });
  };
  return <section class="result">
    <div class="bar">
      <p class="soft small" role="status">
        {words || conditions.length ? `${count(shown.length)} of ${count(result.shown)} rows`
          : `${count(result.shown)} ${result.shown === 1 ? "row" : "rows"}`}
        {cut ? " (a part: the result was cut)" : result.more && " (the first; there may be more)"}
        {columns.length < result.columns.length && `, ${columns.length} of ${result.columns.length} columns`}
        {result.elapsed_ms != null && ` · ${count(result.elapsed_ms)} ms`}
      </p>
      <span class="grow" />
      <div class="segments" role="group" aria-label="Show as">
        <button aria-pressed={view === "rows"} onClick={() => setView("rows")}>Rows</button>
        <button aria-pressed={view === "summary"} onClick={() => setView("summary")}>Summary</button>
        <button aria-pressed={view === "chart"} onClick={() => setView("chart")}>Chart</button>
      </div>
      <label class="find">
        <span class="hidden">Filter the rows</span>
        <input type="search" placeholder="Filter rows" value={words} onInput={e => setWords(e.currentTarget.value)} />
      </label>
      <span class="together">
        <Copy text={() => lines(columns, shown, "\t")} label="Copy rows" />
        <button class="quiet" onClick={() => download(`${file}.csv`, "text/csv", lines(columns, shown, ","))}>
          CSV
        </button>
        <button class="quiet"
          onClick={() => download(`${file}.json`, "application/json", objects(columns, shown))}>
          JSON
        </button>
      </span>
    </div>
    {conditions.length > 0 && <p class="chips small">
      <span class="soft">Only rows with</span>
      {conditions.map(c => {
        const name = told(c, result.columns);
        return <button key={name} class="chip" aria-label={`Take away ${name}`} onClick={() =>
          setConditions(all => all.filter(o => o !== c))}>
          {name} ×
        </button>;
      })}
    </p>}
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
      ? <Grid name={`Rows of ${name}`} columns={columns} rows={shown} sortBy={sortBy}
        order={order && { ...order, at: places.indexOf(order.at) }} />
      : view === "summary" ? <>
        {result.more && <Note kind="warn">Of the {count(result.shown)} rows that are shown, not of all.</Note>}
        <Summaries columns={result.columns} rows={matching} places={places} arrange={setPlaces}
          narrow={c =>
            setConditions(all =>
              all.some(o => told(o, result.columns) === told(c, result.columns)) ? all : [...all, c]
            )} />
      </>
      : cut ? <Note kind="warn">No chart is drawn of a result that was cut: it would show a part as the whole.</Note>
      : <>
        <Chart columns={columns} rows={shown} name={file} key={places.join()} />
        {result.more && <Note kind="warn">The chart shows the first {count(result.shown)} rows of more.</Note>}
      </>}
  </section>;
}

function objects(columns: PageColumn[], rows: Value[][]): string {
  return JSON.stringify(rows.map(r => Object.fromEntries(columns.map((c, i) => [c.name, r[i] ?? null]))), null, 1);
}
