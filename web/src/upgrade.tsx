// Tells when the server has another version of this page.
import { useEffect, useState } from "preact/hooks";
import { get } from "./api";
import { upgrade as T } from "./texts/en/upgrade";
import type { About } from "./types";

const every = 60_000; // ms between two looks, at least
const mine = () => /\/page\/([^/]+)\//.exec(document.querySelector<HTMLScriptElement>("script[src]")?.src ?? "")?.[1];

/** Looks when somebody comes back to the page. */
export function Upgraded() {
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
  return there && <div class="notice info">
    {T.newVersionOfThis}{" "}
    <button onClick={() => location.reload()}>{T.loadPageAgain}</button>
  </div>;
}
