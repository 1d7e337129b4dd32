// The language of the page: that of the address (?lang=de) or of the browser, if there are texts in it, or English.
import type * as english from "./en";

/** The forms of a text for numbers, by the names that Intl.PluralRules gives them; {n} is the number. */
export type Forms = { other: string } & { [rule in Intl.LDMLPluralRule]?: string };
type Texts = Record<string, string | Forms>;

/** All texts in another language. */
export type Language = {
  [part in keyof typeof english]: { [key in keyof (typeof english)[part]]: (typeof english)[part][key] extends string
      ? string : Forms };
};

/** What there is beside English, such as ["de", () => import("./de")]. */
const languages = new Map<string, () => Promise<Language>>([]);

const asked = (new URLSearchParams(globalThis.location?.search).get("lang") ?? globalThis.navigator?.language ?? "")
  .split("-")[0]!;
const others: Record<string, Texts> | undefined = await languages.get(asked)?.();

/** The language of numbers, times and plurals. */
export const locale = others ? asked : "en";

/** The texts of a part of the page. The language "marked" puts brackets around them: what has none stands elsewhere. */
export function part<const T extends Texts>(name: string, english: T): T {
  if (asked !== "marked") return { ...english, ...others?.[name] };
  return JSON.parse(JSON.stringify(english), (_, text) => typeof text === "string" ? `[${text}]` : text);
}
