// Texts with values in the place of names in braces.
import type { ComponentChildren } from "preact";

type Names<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

/** A text with its values. */
export const say = <S extends string>(text: S, values: Record<Names<S>, string | number | undefined>) =>
  text.replace(/\{(\w+)\}/g, (_, name: Names<S>) => String(values[name]));

/** The same for a page, where a value may be an element; what stands between backticks is code. */
export const rich = <S extends string>(text: S, values?: Record<Names<S>, ComponentChildren>): ComponentChildren =>
  text.split(/(`[^`]*`|\{\w+\})/).map(piece => piece[0] === "`" ? <code>{piece.slice(1, -1)}</code>
    : piece[0] === "{" ? values?.[piece.slice(1, -1) as Names<S>] : piece);
