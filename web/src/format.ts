// Figures and times as people read them.
import type { PageColumn, Value } from "./types";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function count(n: number | null | undefined): string {
  return n == null ? "unknown" : whole.format(n);
}

export function plural(n: number, one: string, many: string): string {
  return `${whole.format(n)} ${n === 1 ? one : many}`;
}

export function bytes(n: number | null | undefined): string {
  if (n == null) return "unknown";
  for (const [unit, size] of [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]] as const) {
    if (n >= size) return `${(n / size).toFixed(n >= 100 * size ? 0 : 1)} ${unit}`;
  }
  return `${n} bytes`;
}

export function usd(n: number | null | undefined): string {
  if (n == null) return "unknown";
  return n === 0 ? "free" : n < 0.01 ? "under $0.01" : `$${n.toFixed(2)}`;
}

/** A time in the reader's own zone, with its date unless that is today's. */
export function time(text: string | null | undefined): string {
  if (!text) return "never";
  const t = new Date(text);
  const clock = t.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const day = t.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  return t.toDateString() === new Date().toDateString() ? clock : `${day.replaceAll(" ", "\u00a0")} ${clock}`;
}

/** How long ago a time is. */
export function age(text: string): string {
  const s = Math.max(0, (Date.now() - Date.parse(text)) / 1000);
  for (const [unit, size] of [["day", 86_400], ["hour", 3600], ["minute", 60]] as const) {
    if (s >= size) return plural(Math.floor(s / size), unit, unit + "s") + " ago";
  }
  return "just now";
}

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

/** Whether values of a type, by its name, are numbers. */
export function isNumber(type: string): boolean {
  return /^(u?(tiny|small|big|huge)?int(?!erval)|decimal|numeric|float|double|real|bignumeric)/i.test(type);
}
