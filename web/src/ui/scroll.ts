// Where a box is scrolled to whose content may be taller than a browser draws.
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const tallest = 8_000_000; // pixels

/** What of a content is in view; scrolled: where the box is, which is less than top if it is very tall. */
export interface View { top: number; scrolled: number; left: number; height: number; width: number }

/** The next place: short ways are gone pixel by pixel, long ones by their share of the whole. */
export function moved(was: View, scrolled: number, height: number, full: number): number {
  const room = drawn(full) - height;
  if (full <= tallest) return scrolled;
  if (scrolled <= 0) return 0;
  if (scrolled >= room - 1) return full - height;
  const by = scrolled - was.scrolled;
  return Math.abs(by) < height ? Math.max(0, Math.min(full - height, was.top + by)) : scrolled * (full - height) / room;
}

/** How tall the box draws a content of that height. */
export const drawn = (full: number) => Math.min(full, tallest);

/** Where the box must be for a place in the content. */
const placed = (top: number, height: number, full: number) =>
  full <= tallest ? top : top * (drawn(full) - height) / (full - height);

export function useScroll(box: { current: HTMLElement | null }, full: number): [View, (top: number) => void] {
  const [view, set] = useState<View>({ top: 0, scrolled: 0, left: 0, height: 400, width: 800 });
  const now = useRef(view), size = useRef(full);
  size.current = full;
  const put = (v: View) => set(now.current = v);
  useLayoutEffect(() => {
    const el = box.current!;
    let frame = 0;
    const look = () => {
      frame = 0;
      put({ top: moved(now.current, el.scrollTop, el.clientHeight, size.current), scrolled: el.scrollTop,
        left: el.scrollLeft, height: el.clientHeight, width: el.clientWidth });
    };
    const soon = () => { frame ||= requestAnimationFrame(look); };
    // At rest the bar shows where in the whole one is.
    const rest = () => {
      look(); // the frame that follows the last step of the way may be still to come
      const want = placed(now.current.top, el.clientHeight, size.current);
      if (Math.abs(want - el.scrollTop) >= 1) {
        el.scrollTop = want;
        put({ ...now.current, scrolled: el.scrollTop });
      }
    };
    look();
    const sized = new ResizeObserver(soon);
    sized.observe(el);
    el.addEventListener("scroll", soon, { passive: true });
    el.addEventListener("scrollend", rest);
    return () => {
      cancelAnimationFrame(frame);
      sized.disconnect();
      el.removeEventListener("scroll", soon);
      el.removeEventListener("scrollend", rest);
    };
  }, []);
  const go = (top: number) => {
    const el = box.current!, to = Math.max(0, Math.min(size.current - el.clientHeight, top));
    el.scrollTop = placed(to, el.clientHeight, size.current);
    put({ ...now.current, top: to, scrolled: el.scrollTop });
  };
  return [view, go];
}
