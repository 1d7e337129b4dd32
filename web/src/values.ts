// Values as people read them, and as a shell does.
import type { PageColumn, Value } from "./types";

/** A value as one line of text. */
export function text(v: Value | undefined): string {
  if (v === null || v === undefined) return "";
  return typeof v === "object" ? JSON.stringify(v) : String(v);
}

// Names of columns whose numbers only tell things apart.
const marks = /(^|[_ ])(id|key|code|zip|plz|year|no|nr|number|phone|iata|isbn)$/i;

/** A value as people read it; what is left out of it is not lost: cells show their exact value on demand. */
export function readable(v: Value | undefined, c: PageColumn): string {
  const exact = text(v);
  if (c.numeric && !c.years && !marks.test(c.name) && /^-?\d+(\.\d+)?$/.test(exact)) {
    const [whole = "", part = ""] = (part6(exact)).split(".");
    return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part && "." + part);
  }
  if (/^(timestamp|datetime)/i.test(c.type) && typeof v === "string")
    return v.replace("T", " ").replace(/\.0+(?=$|Z|[+-])/, "").replace(/ 00:00:00$/, " 00:00");
  return exact;
}

const rounded = [12, 9, 7, 6, 5, 4, 3, 2].map(n => new Intl.NumberFormat("en", { maximumSignificantDigits: n }));
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** A figure that fits: whole, or rounded behind a mark; "…" where not even that does. */
export function fitted(shown: string, exact: string, fits: (s: string) => boolean): string {
  const n = Number(exact);
  if (fits(shown) || !exact || !Number.isFinite(n)) return shown;
  for (const format of [...rounded, compact]) {
    const short = "≈" + format.format(n);
    if (fits(short)) return short;
  }
  const least = "≈" + n.toExponential(0);
  return fits(least) ? least : "…";
}

/** A fraction with more digits than tell something is rounded. */
function part6(exact: string): string {
  const dot = exact.indexOf(".");
  if (dot < 0 || exact.length - dot <= 7) return exact;
  const rounded = Number(exact);
  return Math.abs(rounded) < 1e-3 ? exact : String(Number(rounded.toFixed(6)));
}

/** Quotes a word for a POSIX shell, in the way that is easiest to read. */
export function shell(word: string): string {
  if (/^[A-Za-z0-9_\/.,:=@%+-]+$/.test(word)) return word;
  if (word.includes("'") && !/["$`\\!]/.test(word)) return `"${word}"`;
  return "'" + word.replaceAll("'", "'\\''") + "'";
}

/** Whether values of a column, by the name of its type, are days or points in time. */
export const isTime = (c: { type: string }) => /^(date|timestamp)/i.test(c.type);

/** Whether values of a type, by its name, are numbers. */
export function isNumber(type: string): boolean {
  return /^(u?(tiny|small|big|huge)?int(?!erval)|decimal|numeric|float|double|real|bignumeric)/i.test(type);
}
