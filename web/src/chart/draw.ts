// Draws with Vega. Expressions are interpreted, not compiled: the page may not
// make code of text. Data comes with the description, and nothing is loaded.
import { compile, type TopLevelSpec } from "vega-lite";
import { parse, View, type Loader } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import type { PageColumn, Value } from "../types";
import { isTime, type Choice } from "./chart";

/** A chart in the page. */
export interface Drawn { png: () => Promise<Blob>; svg: () => Promise<string>; end: () => void }

// A loader that loads nothing, whatever a description asks for.
const nothing = () => Promise.reject(new Error("a chart loads nothing"));
const loader = { load: nothing, sanitize: nothing, http: nothing, file: nothing, options: {} } as unknown as Loader;

export async function draw(box: HTMLElement, columns: PageColumn[], rows: Value[][], choice: Choice): Promise<Drawn> {
  const spec = describe(columns, rows, choice, box.clientWidth);
  const view = new View(parse(compile(spec).spec, undefined, { ast: true }), { expr: expressionInterpreter, loader, renderer: "canvas", container: box, hover: true });
  await view.runAsync();
  return {
    png: async () => fromCanvas(await view.toCanvas(2)),
    svg: () => view.toSVG(),
    end: () => { view.finalize(); box.replaceChildren(); },
  };
}

function fromCanvas(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((done, fail) => canvas.toBlob(b => b ? done(b) : fail(new Error("the chart cannot be drawn as PNG")), "image/png"));
}

/** The description of a chart. Fields are numbered: names may hold whatever Vega reads as a path. */
function describe(columns: PageColumn[], rows: Value[][], choice: Choice, width: number): TopLevelSpec {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink").trim(), soft = style.getPropertyValue("--soft").trim(), line = style.getPropertyValue("--line").trim();
  const kindOf = (at: number) => isTime(columns[at]!) ? "temporal" as const : columns[at]!.numeric ? "quantitative" as const : "nominal" as const;
  const values = rows.map(r => ({ x: plain(r[choice.x], columns[choice.x]!), y: Number(r[choice.y]), by: choice.by < 0 ? "" : String(r[choice.by] ?? "NULL") }));
  const widest = 7 * Math.max(0, ...new Set(values.map(v => Math.min(20, String(v.x ?? "").length)))), flat = new Set(values.map(v => v.x)).size * (widest + 8) < width - 80;
  const x = choice.kind === "bar" && kindOf(choice.x) === "quantitative" ? "ordinal" as const : kindOf(choice.x);
  return {
    width: Math.max(240, width - 20), height: 380, background: "transparent", autosize: { type: "fit", contains: "padding" },
    data: { values },
    mark: { type: choice.kind, tooltip: true, ...(choice.kind === "bar" ? { cornerRadiusEnd: 3 } : {}), ...(choice.kind === "area" ? { opacity: .7 } : {}) },
    encoding: {
      x: { field: "x", type: x, title: columns[choice.x]!.name, ...(x === "nominal" || x === "ordinal" ? { sort: null, ...(flat ? { axis: { labelAngle: 0 } } : {}) } : {}) },
      y: { field: "y", type: "quantitative", title: columns[choice.y]!.name },
      ...(choice.kind === "bar" && choice.grouped && choice.by >= 0 ? { xOffset: { field: "by" } } : {}),
      ...(choice.by >= 0 ? { color: { field: "by", type: "nominal", title: columns[choice.by]!.name } } : { color: { value: style.getPropertyValue("--accent").trim() } }),
    },
    config: {
      font: getComputedStyle(document.body).fontFamily, view: { stroke: null },
      axis: { labelColor: soft, titleColor: ink, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12, titleFontSize: 12.5, titleFontWeight: 600, labelLimit: 140 },
      legend: { labelColor: soft, titleColor: ink, labelFontSize: 12 },
    },
  } as TopLevelSpec;
}

function plain(v: Value | undefined, c: PageColumn): string | number | null {
  if (v === null || v === undefined) return null;
  return c.numeric ? Number(v) : typeof v === "object" ? JSON.stringify(v) : String(v);
}
