// The rows that a grid shows: all of them here, or asked for as they come into view.
import type { Value } from "../types";

export interface Rows {
  count: number;
  /** A row, if it is here. */
  row: (at: number) => Value[] | undefined;
  /** Says which rows are looked at now. */
  look: (from: number, to: number) => void;
  /** Some rows, wherever they are. */
  range: (from: number, to: number) => Promise<Value[][]>;
}

export const here = (rows: Value[][]): Rows => ({ count: rows.length, row: at => rows[at], look: () => {},
  range: (from, to) => Promise.resolve(rows.slice(from, to)) });

type Ask = (from: number, limit: number, signal: AbortSignal) => Promise<Value[][]>;

export const step = 200; // rows of a window
const mostKept = 60, mostAsked = 2000; // windows that stay, rows of a request

/** Rows that come by windows; changed: more of them are here, or a window failed. */
export class Windows implements Rows {
  private pages = new Map<number, Value[][]>();
  private asked = new Map<number, AbortController>();
  /** Why the rows that are looked at do not come. */
  error: unknown;

  /** first: the beginning, if it has come already. */
  constructor(readonly count: number, private ask: Ask, private changed: () => void, first?: Value[][]) {
    if (first && first.length === Math.min(step, count)) this.pages.set(0, first);
  }

  row = (at: number) => this.pages.get(Math.floor(at / step))?.[at % step];

  look = (from: number, to: number) => {
    const first = Math.floor(from / step), last = Math.floor(Math.max(from, Math.min(to, this.count) - 1) / step);
    for (const [page, stop] of this.asked) if (page < first || page > last) stop.abort();
    if (this.error) return;
    for (let page = first; page <= last; page++) {
      const known = this.pages.get(page);
      if (known) {
        this.pages.delete(page); // what was looked at last goes last
        this.pages.set(page, known);
      } else if (!this.asked.has(page) && page * step < this.count) this.bring(page);
    }
  };

  private bring(page: number) {
    const stop = new AbortController();
    this.asked.set(page, stop);
    const limit = Math.min(step, this.count - page * step);
    this.whole(page * step, limit, stop.signal).then(rows => {
      this.pages.set(page, rows);
      const oldest = this.pages.keys().next().value;
      if (this.pages.size > mostKept && oldest !== undefined) this.pages.delete(oldest);
    }, e => {
      if (!stop.signal.aborted) this.error = e;
    }).finally(() => {
      this.asked.delete(page);
      this.changed();
    });
  }

  /** An answer may end early, where its rows are long. */
  private async whole(from: number, limit: number, signal: AbortSignal): Promise<Value[][]> {
    const rows: Value[][] = [];
    while (rows.length < limit) {
      const more = await this.ask(from + rows.length, Math.min(mostAsked, limit - rows.length), signal);
      if (!more.length) break;
      rows.push(...more);
    }
    return rows;
  }

  range = (from: number, to: number) => this.whole(from, Math.min(to, this.count) - from, new AbortController().signal);
}
