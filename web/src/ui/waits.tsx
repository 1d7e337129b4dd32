// What somebody waits for, how long, how much of it has come, and a button that ends that.
import { useEffect, useRef, useState } from "preact/hooks";
import { cameOf } from "../api";
import { bytes } from "../format";
import { ui as T } from "../texts/en/ui";
import { say } from "../texts/say";

export function Waits({ what, stop, does }: { what: string; stop: AbortController; /** Its button. */ does?: string }) {
  const [, turn] = useState(0), began = useRef(Date.now());
  useEffect(() => {
    const timer = setInterval(() => turn(n => n + 1), 500);
    return () => clearInterval(timer);
  }, []);
  const s = Math.floor((Date.now() - began.current) / 1000), came = cameOf(stop.signal);
  return <span class="waits">
    <span class="soft small">
      <span role="status">{what}…</span>
      <span aria-hidden="true">{s > 0 && ` ${s} s`}{came > 0 && say(T.haveCome, { came: bytes(came) })}</span>
    </span>
    <button type="button" data-do={does} onClick={() => stop.abort()}>{T.stop}</button>
  </span>;
}
