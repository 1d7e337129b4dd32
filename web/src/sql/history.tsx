// Statements that were run or saved, and sheets that were closed.
import { useState } from "preact/hooks";
import { age } from "../format";
import { cameOf, keyOf, saved, valuesOf, type Saved, type Stated } from "./saved";
import { removed } from "../ui/undo";
import { titleOf, type Sheet } from "./sheets";
import { sql as T } from "../texts/en/sql";
import { say } from "../texts/say";

interface HistoryProps {
  list: Saved[]; changed: (list: Saved[]) => void; put: (s: Stated) => void;
  closed: Sheet[]; reopen: (s: Sheet) => void; drop: (s: Sheet) => void;
}

export function History({ list, changed, put, closed, reopen, drop }: HistoryProps) {
  const [words, setWords] = useState("");
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean),
    fits = (text: string) => wanted.every(w => text.toLowerCase().includes(w));
  const shown = list.filter(s => fits(`${s.sql} ${valuesOf(s)}`)),
    sheets = closed.filter(s => fits(s.name + s.cells.map(c => c.sql).join(" ")));
  return <div class="schema sql-side">
    <label class="find">
      <span class="hidden">{T.findStatement}</span>
      <input type="search" placeholder={T.findStatement} value={words}
        onInput={e => setWords(e.currentTarget.value)} />
    </label>
    {list.length === 0 && <p class="soft small">{T.whatYouRunIs}</p>}
    <ul>{shown.map(s => <Kept key={keyOf(s)} entry={s} put={put} changed={changed} />)}</ul>
    {sheets.length > 0 && <>
      <h2>{T.closedSheets}</h2>
      <ul>
        {sheets.map(s =>
          <li key={s.id}>
            <button class="kept" onClick={() => reopen(s)} title={T.openItAgain}>
              {titleOf(s)} <span class="soft small">{age(new Date(s.changed).toISOString())}</span>
            </button>
            <button class="quiet small" aria-label={say(T.removeSheet,
              { what: titleOf(s) })} onClick={() => drop(s)}>×</button>
          </li>
        )}
      </ul>
    </>}
  </div>;
}

function Kept({ entry, put, changed }: { entry: Saved; put: (s: Stated) => void; changed: (list: Saved[]) => void }) {
  const short = entry.sql.slice(0, 60), came = cameOf(entry), values = valuesOf(entry);
  return <li>
    <button class="kept" onClick={() => put(entry)} title={[entry.sql, values].filter(Boolean).join("\n")}>
      <code>{entry.sql.replace(/\s+/g, " ")}</code>
    </button>
    {entry.kept &&
      <button class="quiet small" aria-label={say(T.doNotKeep, { short })} title={T.keptPressToKeep}
        onClick={() => {
        const before = saved.list();
        changed(saved.release(entry));
        removed(T.statementIsKeptNo, () => changed(saved.put(before)));
      }}>
        ★
      </button>}
    {!entry.kept &&
      <button class="quiet small" aria-label={say(T.forget, { short })} onClick={() => {
        const before = saved.list();
        changed(saved.forget(entry));
        removed(T.statementIsForgotten, () => changed(saved.put(before)));
      }}>
        ×
      </button>}
    {values && <p class="came small soft" title={values}><code>{values}</code></p>}
    {came && <p class={"came small " + (entry.error ? "bad" : "soft")} title={came}>{came}</p>}
  </li>;
}
