// The tables that somebody has opened lately or starred, in this browser.
const most = 12;
const names = { recent: "da.tables.recent", starred: "da.tables.starred" };

export function mine(of: keyof typeof names): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(names[of]) ?? "[]");
    return Array.isArray(list) ? list.filter((t): t is string => typeof t === "string") : [];
  } catch { return []; }
}

function put(of: keyof typeof names, list: string[]) {
  try { localStorage.setItem(names[of], JSON.stringify(list)); } catch { /* full: it is not kept */ }
}

export const opened = (id: string) => put("recent", [id, ...mine("recent").filter(t => t !== id)].slice(0, most));

/** Stars a table, or takes the star away. */
export const star = (id: string, yes: boolean) =>
  put("starred", [...yes ? [id] : [], ...mine("starred").filter(t => t !== id)]);
