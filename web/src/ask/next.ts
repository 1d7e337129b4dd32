// What one could ask next, by the columns that an answer has shown. No value of the data is in it: a
// model may not be sent any.
import { isNumber } from "../values";
import type { Frame } from "./types";
import { ask as T } from "../texts/en/ask";
import { say } from "../texts/say";

const marks = /(^|[_ ])(id|key|code)$/i;

// Figures of which no share can be had: they are no parts of a sum.
const notParts = new RegExp("(^|[_ ])(mean|avg|average|median|mode|rate|ratio|share|pct|percent|percentage|min|max|" +
  "first|last|std|stddev|var|variance|quantile|p\\d+|score|per|price|age|rank|index|temperature)($|[_ ])", "i");

/** Up to three questions about tables. */
export function nextQuestions(frames: Frame[]): string[] {
  const found: string[] = [];
  for (const f of frames) {
    const of = (is: (type: string) => boolean) => f.columns.filter((_, i) => is(f.column_types[i] ?? ""));
    const figure = of(isNumber).filter(c => !marks.test(c)).at(-1);
    const time = of(t => /^(date|timestamp|datetime)/i.test(t))[0];
    const group = of(t => /^(varchar|string|text|char)/i.test(t))[0];
    if (f.rows.length < 2 || !figure) continue;
    if (time) found.push(say(T.showOverAsLine, { figure, time }), say(T.inWhichIsUnusual, { time, figure }));
    if (group) {
      found.push(say(T.showByAsBar, { figure, group }),
        ...notParts.test(figure) ? [] : [say(T.whatShareOfAll, { figure, group })],
        say(T.whatIsDifferentAbout, { group, figure }));
    }
  }
  return [...new Set(found)].slice(0, 3);
}
