// Figures and times as people read them.
import { locale, type Forms } from "./texts/language";
import { frame as T } from "./texts/en/frame";
import { say } from "./texts/say";

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });

export function count(n: number | null | undefined): string {
  return n == null ? T.unknown : whole.format(n);
}

const rules = new Intl.PluralRules(locale);

/** A number with what it counts. */
export const plural = (n: number, forms: Forms) => say(forms[rules.select(n)] ?? forms.other, { n: whole.format(n) });

/** A part of a whole in percent, which is 0 or 100 only where it is nothing or all. */
export function share(part: number, all: number): string {
  const percent = 100 * part / all;
  return percent > 0 && percent < .1 ? "<0.1%" : percent > 99.9 && percent < 100 ? ">99.9%" : percent.toFixed(1) + "%";
}

export function bytes(n: number | null | undefined): string {
  if (n == null) return T.unknown;
  for (const [unit, size] of [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]] as const) {
    if (n >= size) return `${(n / size).toFixed(n >= 100 * size ? 0 : 1)} ${unit}`;
  }
  return say(T.bytes, { n });
}

export function usd(n: number | null | undefined): string {
  if (n == null) return T.unknown;
  return n === 0 ? T.free : n < 0.01 ? T.underACent : `$${n.toFixed(2)}`;
}

const dates = locale === "en" ? "en-GB" : locale;

/** A time in the reader's own zone, with its date unless that is today's. */
export function time(text: string | null | undefined): string {
  if (!text) return T.never;
  const t = new Date(text);
  const clock = t.toLocaleTimeString(dates, { hour: "2-digit", minute: "2-digit" });
  const day = t.toLocaleDateString(dates, { day: "numeric", month: "short", year: "numeric" });
  return t.toDateString() === new Date().toDateString() ? clock : `${day.replaceAll(" ", "\u00a0")} ${clock}`;
}

/** How long ago a time is. */
export function age(text: string): string {
  const s = Math.max(0, (Date.now() - Date.parse(text)) / 1000);
  for (const [forms, size] of [[T.daysAgo, 86_400], [T.hoursAgo, 3600], [T.minutesAgo, 60]] as const) {
    if (s >= size) return plural(Math.floor(s / size), forms);
  }
  return T.justNow;
}
