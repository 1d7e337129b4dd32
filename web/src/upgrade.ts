// Whether the server has another version of this page by now.
import { useEffect, useState } from "preact/hooks";
import { get } from "./api";
import type { About } from "./types";

const every = 60_000; // ms between two looks, at least
const mine = () => /\/page\/([^/]+)\//.exec(document.querySelector<HTMLScriptElement>("script[src]")?.src ?? "")?.[1];

/** Looks when somebody comes back to the page. */
export function useUpgrade(): boolean {
  const [there, set] = useState(false);
  useEffect(() => {
    let last = 0;
    const look = () => {
      if (document.hidden || Date.now() - last < every) return;
      last = Date.now();
      get<About>("/api/page").then(about => set(!!about.page && about.page !== mine()), () => {});
    };
    const timer = setInterval(look, 5 * every);
    addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return there;
}
