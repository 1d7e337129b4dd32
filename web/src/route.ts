// Places within the page. They are fragments: they never reach a server or its log.
import { useEffect, useState } from "preact/hooks";

/** A place: "#/tables/flights?tab=sample" is {path: ["tables", "flights"], query}. */
export interface Route { path: string[]; query: URLSearchParams }

export function parse(hash: string): Route {
  const text = hash.replace(/^#\/?/, ""), mark = text.indexOf("?");
  const path = mark < 0 ? text : text.slice(0, mark), query = mark < 0 ? "" : text.slice(mark + 1);
  return { path: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

function decode(part: string): string {
  try { return decodeURIComponent(part); } catch { return part; }
}

/** The fragment of a place. */
export function link(path: string[], query: Record<string, string | undefined> = {}): string {
  const params = new URLSearchParams();
  for (const [k, v] of Object.entries(query)) if (v) params.set(k, v);
  const text = params.toString();
  return "#/" + path.map(encodeURIComponent).join("/") + (text ? "?" + text : "");
}

/** The place that is shown; the component follows it. */
export function useRoute(): Route {
  const [hash, set] = useState(location.hash);
  useEffect(() => {
    const follow = () => set(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return parse(hash);
}

/** Changes the fragment without a step in the browser's history. */
export function replace(to: string) {
  history.replaceState(null, "", to);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
