// Draws with Vega. Expressions are interpreted, not compiled: the page may not
// make code of text. Data comes with the description, and nothing is loaded.
import { compile, type TopLevelSpec } from "vega-lite";
import { parse, View, type Loader } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import type { PageColumn, Value } from "../types";
import { isTime, text } from "../values";
import type { Condition } from "../ui/arrange";
import { across, adds as canAdd, behind, colours, markLone, moment, periodAfter, periodOf, plain, scaled, seriesOf,
  upTitle, type Choice, type Labels } from "./choice";
import { chart as T } from "../texts/en/chart";
import { say } from "../texts/say";

/** A chart in the page. */
export interface Drawn {
  /** Pictures; more: what they say below their title. */
  png: (title: string, more: string[]) => Promise<Blob>;
  svg: (title: string, more: string[]) => Promise<string>;
  end: () => void;
}

// A loader that loads nothing, whatever a description asks for.
const nothing = () => Promise.reject(new Error("a chart loads nothing"));
const loader = { load: nothing, sanitize: nothing, http: nothing, file: nothing, options: {} } as unknown as Loader;

export async function draw(box: HTMLElement, columns: PageColumn[], rows: Value[][], choice: Choice,
  labels: Labels = {}, pick?: (rows: Condition[]) => void, each?: string): Promise<Drawn>
{
  const make = (look: Look, more: object) =>
    new View(
      parse(
        compile({ ...describe(columns, rows, choice, box.clientWidth, look, labels), ...more } as TopLevelSpec).spec,
        undefined,
        { ast: true },
      ),
      { expr: expressionInterpreter, loader, renderer: "canvas", hover: true },
    );
  const view = make(screen(), { background: "transparent" });
  // A drawing has its own place: one that ends late takes nothing of a later one away.
  const place = box.appendChild(document.createElement("div"));
  view.initialize(place);
  if (pick) {
    view.addEventListener("click", (_, item) => {
      if (!item?.datum || !/^(rect|symbol)$/.test(item.mark.marktype)) return;
      const where = behind(item.datum as Record<string, unknown>, columns, rows, choice, each);
      if (where) pick(where);
    });
  }
  await view.runAsync();
  // A picture is for paper, whatever the screen looks like.
  const onPaper = async (title: string, more: string[]) => {
    const v = make(paper, { background: "#ffffff", padding: 16,
      ...titled(title, [...labels.notes ?? [], ...more], box.clientWidth) });
    await v.runAsync();
    return v;
  };
  return {
    png: async (title, more) => {
      const v = await onPaper(title, more);
      try {
        return await fromCanvas(await v.toCanvas(2));
      } finally {
        v.finalize();
      }
    },
    svg: async (title, more) => {
      const v = await onPaper(title, more);
      try {
        return await v.toSVG();
      } finally {
        v.finalize();
      }
    },
    end: () => {
      view.finalize();
      place.remove();
    },
  };
}

function fromCanvas(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((done, fail) =>
    canvas.toBlob(b => b ? done(b) : fail(new Error(T.chartCannotBeDrawn)), "image/png")
  );
}

interface Look { ink: string; soft: string; line: string; accent: string }

const paper: Look = { ink: "#16201e", soft: "#55615e", line: "#d9dfdd", accent: "#0f6b5c" };

function screen(): Look {
  const style = getComputedStyle(document.documentElement), of = (name: string) => style.getPropertyValue(name).trim();
  return { ink: of("--ink"), soft: of("--soft"), line: of("--line"), accent: of("--accent") };
}

/** A title with what is to be known below it, or that alone, in lines that fit into a width. */
function titled(text: string, notes: string[], width: number) {
  const most = Math.max(24, Math.floor(width / 7));
  const lines = notes.flatMap(t => t.match(new RegExp(`.{1,${most}}(?=\\s|$)\\s?|.{1,${most}}`, "g")) ?? []);
  return text ? { title: { text, subtitle: lines } }
    : lines.length ? { title: { text: lines, fontSize: 12.5 } } : {};
}

const mostLying = 40; // bars
/** Labels of an axis: millions are written short. */
const short = { labelExpr: "abs(datum.value) < 1e6 ? datum.label : replace(format(datum.value, '~s'), 'G', 'B')" };

/** The units that a bar can be as wide as. */
const units: Record<string, string> = { year: "utcyear", quarter: "utcyearquarter", month: "utcyearmonth",
  day: "utcyearmonthdate", hour: "utcyearmonthdatehours" };
/** How the beginning of a period is written. */
const forms: Record<string, string> = { year: "%Y", quarter: "%b %Y", month: "%b %Y", week: "%b %d", day: "%b %d" };

/** The axis of times: where the periods that they begin have room, each has its mark. */
function timeAxis(times: number[], period: string, width: number) {
  const first = Math.min(...times), last = Math.max(...times), step = endOf(first, period) - first;
  return !forms[period] || (last - first) / step > width / 70 ? {}
    : { format: forms[period], tickCount: period === "quarter" ? { interval: "month", step: 3 }
      : { interval: period, step: 1 } };
}

const endOf = (from: number, period: string) => moment(periodAfter(new Date(from).toISOString().slice(0, 19), period));

/** The description of a chart. Fields are numbered: names may hold whatever Vega reads as a path. */
function describe(columns: PageColumn[], rows: Value[][], choice: Choice, width: number,
  { ink, soft, line, accent }: Look, labels: Labels): TopLevelSpec
{
  const kindOf = (at: number) =>
    isTime(columns[at]!) ? "temporal" as const : columns[at]!.numeric ? "quantitative" as const : "nominal" as const;
  const bins = !!choice.bins && columns[choice.x]!.numeric, made = choice.made || choice.how === "each";
  const counted = choice.how === "distinct" && !choice.made;
  const known = rows.filter(r => across(r, columns, choice) && (!counted || (r[choice.y] ?? null) !== null));
  const place = (v: Value | undefined) => kindOf(choice.x) === "temporal" ? finite(moment(text(v)))
    : plain(v, columns[choice.x]!);
  const values: Point[] = known.map(r => ({ x: place(r[choice.x]),
    y: choice.y < 0 || (r[choice.y] ?? null) === null ? null : counted ? text(r[choice.y]) : finite(r[choice.y]),
    by: seriesOf(r, choice), ...(choice.made && bins ? { x_end: Number(r[3]) } : {}) })
  );
  const { own, others } = colours(rows, choice), rest = say(T.others, { others }), has = new Set(own);
  if (others) for (const v of values) v.shade = has.has(v.by) ? v.by : rest;
  const widest = 7 * Math.max(0, ...new Set(values.map(v => Math.min(20, String(v.x ?? "").length)))),
    distinct = new Set(values.map(v => v.x)), places = distinct.size, flat = places * (widest + 8) < width - 80;
  const x = !bins && choice.kind === "bar" && kindOf(choice.x) === "quantitative" ? "ordinal" as const
    : kindOf(choice.x);
  const adds = canAdd(choice), percent = adds && choice.percent && choice.by >= 0 && !choice.grouped;
  const panels = choice.by >= 0 && !!choice.panels, many = new Set(values.map(v => v.shade ?? v.by)).size;
  const beside = Math.min(many, Math.max(1, Math.floor(width / 300)));
  const apart = choice.by >= 0 && !panels && (choice.grouped || !adds);
  // Bars with long names lie, so that each name can be read.
  const lie = choice.kind === "bar" && x === "nominal" && !flat && widest > 35 && places <= mostLying && !panels &&
    !apart;
  const times = x === "temporal" ? [...distinct].filter(t => t !== null).map(Number) : [], period = periodOf(times);
  const spans = choice.kind === "bar" && !apart && units[period]; // a bar is as wide as its period
  if (choice.kind === "line" || choice.kind === "area") markLone(values, choice, scaled(columns, choice));
  // A line or an area is one mark of many places; points that nobody sees are what is clicked on.
  const mark = { type: choice.kind, tooltip: true,
    ...(/line|area/.test(choice.kind) ? { point: panels && values.some(v => v.lone) ? true : "transparent" } : {}),
    ...(choice.kind === "bar" && !(bins && choice.made) ? { cornerRadiusEnd: 3 } : {}),
    ...(choice.kind === "area" ? { opacity: .7 } : {}) };
  return {
    description: say(T.chartOfBy, // what a screen reader calls the picture, by default "Vega visualization"
      { kind: choice.kind, columns: upTitle(columns, choice), name: columns[choice.x]?.name }),
    ...(panels ? { width: Math.max(110, Math.floor((width - 90) / beside - 22)), height: 180 }
      : { width: Math.max(240, width - 20), height: lie ? 80 + 20 * places : 380,
        autosize: { type: "fit", contains: "padding" } }),
    data: { values },
    ...titled("", labels.notes ?? [], width),
    // All points are there, and those that are reached have no size: they are stacked as the areas are.
    ...(values.some(v => v.lone) && !panels
      ? { layer: [{ mark }, { mark: { type: "point", filled: true, opacity: 1, tooltip: true }, encoding: {
        size: { ...(made ? {} : { aggregate: "max" }), field: "lone", type: "quantitative",
          scale: { domain: [0, 1], range: [0, 50] }, legend: null } } }] }
      : { mark }),
    encoding: {
      [lie ? "y" : "x"]: { field: "x", type: x,
        ...(bins ? { bin: choice.made ? "binned" as const : { maxbins: 24 } } : {}),
        title: choice.across || labels.x || columns[choice.x]!.name,
        ...(x === "nominal" || x === "ordinal"
          ? { sort: choice.highest && x === "nominal" ? lie ? "-x" as const : "-y" as const : null,
            axis: { labelOverlap: "greedy" as const, labelExpr: "datum.value === null ? 'NULL' : datum.label",
              ...(flat ? { labelAngle: 0 } : lie ? { labelLimit: Math.max(140, width / 3) } : {}) } }
          : x === "quantitative" ? { axis: short }
          : { ...(spans ? { timeUnit: spans } : {}), scale: { type: "utc" as const },
            axis: timeAxis(times, period, panels ? width / beside : width) }) },
      ...(bins && choice.made ? { x2: { field: "x_end" } } : {}),
      [lie ? "x" : "y"]: {
        ...(made ? { field: "y" } : choice.how === "count" ? { aggregate: "count" as const }
          : { field: "y", aggregate: choice.how }),
        type: "quantitative",
        ...(choice.log ? { scale: { type: "symlog" as const } } : {}),
        title: choice.up || (percent ? T.shareOf : "") + (made && labels.y || upTitle(columns, choice)),
        ...(!adds || panels ? { stack: null, axis: short }
          : percent ? { stack: "normalize" as const, axis: { format: "%" } }
          : { axis: short, ...(choice.kind === "area" ? { stack: "zero" as const } : {}) }),
      },
      ...(choice.kind === "bar" && apart
        ? { xOffset: { field: "by" } } : {}),
      ...(panels ? { color: { value: accent }, facet: { field: others ? "shade" : "by", type: "nominal",
        columns: beside, title: columns[choice.by]!.name, header: { labelColor: soft, titleColor: ink } } }
        : choice.by >= 0 ? { color: { field: others ? "shade" : "by", type: "nominal", title: columns[choice.by]!.name,
        scale: { scheme: own.length > 10 ? "tableau20" : "tableau10",
          ...(others ? { domain: [...own.sort(), rest] } : {}) } },
        ...(others ? { detail: { field: "by" } } : {}) }
        : { color: { value: accent } }),
    },
    config: {
      font: getComputedStyle(document.body).fontFamily,
      view: { stroke: null },
      axis: { labelColor: soft, titleColor: ink, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12,
        titleFontSize: 12.5, titleFontWeight: 600, labelLimit: 140 },
      title: { color: ink, fontSize: 14, subtitleColor: ink, subtitleFontSize: 12.5, subtitlePadding: 6,
        anchor: "start", offset: 14 },
      legend: { labelColor: soft, titleColor: ink, labelFontSize: 12 },
    },
  } as TopLevelSpec;
}

interface Point { x: string | number | null; y: string | number | null; by: string; x_end?: number; lone?: number;
  /** What has its colour. */ shade?: string }

const finite = (v: Value | undefined) => Number.isFinite(Number(v)) ? Number(v) : null;
