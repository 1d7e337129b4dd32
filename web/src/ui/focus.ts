// Keeps the focus of who works without a pointer.

/** Gives the focus back to a button that was disabled while it worked; from what was removed it goes to the part. */
export function keepFocus() {
  let last: HTMLElement | undefined;
  const gone = (e: HTMLElement) => !e.isConnected || e.matches(":disabled");
  addEventListener("focusin", e => { last = e.target as HTMLElement; });
  addEventListener("focusout", e => queueMicrotask(() => {
    if (last === e.target && !gone(last as HTMLElement)) last = undefined; // somebody has left it
  }));
  const look = () => {
    if (!last || document.activeElement !== document.body || last.isConnected && gone(last)) return;
    (last.isConnected ? last : document.getElementById("main"))?.focus({ preventScroll: true });
  };
  // Whoever has removed it may give the focus to something else once it is drawn.
  const soon = () => requestAnimationFrame(() => setTimeout(look));
  new MutationObserver(() => { if (last && document.activeElement === document.body) soon(); })
    .observe(document.body, { subtree: true, childList: true, attributeFilter: ["disabled"] });
}
