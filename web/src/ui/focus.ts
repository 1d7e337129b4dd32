// Keeps the focus of who works without a pointer.

/**
 * Gives the focus back to a button that was disabled while it worked. From a button that stays disabled, the focus
 * goes to the first field of its form; from what was removed, to the part.
 */
export function keepFocus() {
  let last: HTMLElement | undefined;
  const gone = (e: HTMLElement) => !e.isConnected || e.matches(":disabled");
  addEventListener("focusin", e => { last = e.target as HTMLElement; });
  addEventListener("focusout", e => queueMicrotask(() => {
    if (last === e.target && !gone(last as HTMLElement)) last = undefined; // somebody has left it
  }));
  const look = () => {
    if (!last || document.activeElement !== document.body) return;
    const to = !last.isConnected ? document.getElementById("main") : !gone(last) ? last
      : last.closest("form:not([aria-busy=true])")?.querySelector<HTMLElement>(":is(input, select, textarea):enabled");
    to?.focus({ preventScroll: true });
  };
  // Whoever has removed it may give the focus to something else once it is drawn.
  const soon = () => requestAnimationFrame(() => setTimeout(look));
  new MutationObserver(() => { if (last && document.activeElement === document.body) soon(); })
    .observe(document.body, { subtree: true, childList: true, attributeFilter: ["disabled", "aria-busy"] });
}
