// What outlives the part of the page that made it: results, questions, places.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

const values = new Map<string, unknown>();
const watching = new Map<string, Set<() => void>>();
const tell = (key: string) => watching.get(key)?.forEach(redraw => redraw());

/** As useState, but the value stays while another part is shown, and may be set meanwhile. */
export function useKept<T>(key: string, initial: T): [T, (next: T) => void] {
  const [, turn] = useState(0);
  // At once, not after the next frame: somebody may type before that.
  useLayoutEffect(() => {
    const redraw = () => turn(n => n + 1), all = watching.get(key) ?? new Set();
    watching.set(key, all.add(redraw));
    return () => { all.delete(redraw); };
  }, [key]);
  return [values.has(key) ? values.get(key) as T : initial, next => { values.set(key, next); tell(key); }];
}

/** What is kept under a name now. */
export const kept = <T>(key: string) => values.get(key) as T | undefined;

/** Nothing of one user is left for the next. */
export function clearKept() {
  places.clear();
  const keys = [...values.keys()];
  values.clear();
  keys.forEach(tell);
}

const places = new Map<string, number>();

/** Keeps how far a page is scrolled, and goes there again once what it shows is there. */
export function place(key: string, there: boolean) {
  useLayoutEffect(() => { if (there) scrollTo(0, places.get(key) ?? 0); }, [key, there]);
  useEffect(() => {
    const look = () => { places.set(key, scrollY); };
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, [key]);
}
