// Statements that this browser keeps: what was run lately, and what was saved.
export interface Saved { sql: string; kept: boolean }

const most = 200;
const read = (): Saved[] => {
  try {
    const list: unknown = JSON.parse(localStorage.getItem("da.sql") ?? "[]");
    return Array.isArray(list) ? list.filter((s): s is Saved => typeof s?.sql === "string") : [];
  } catch { return []; }
};
const write = (list: Saved[]) => {
  const kept = list.filter(s => s.kept), recent = list.filter(s => !s.kept).slice(0, most);
  const all = [...kept, ...recent];
  try { localStorage.setItem("da.sql", JSON.stringify(all)); } catch { /* full: the list lives as long as the page */ }
  return all;
};

export const saved = {
  list: read,
  ran: (sql: string) => {
    const old = read().find(s => s.sql === sql);
    return write([{ sql, kept: old?.kept ?? false }, ...read().filter(s => s.sql !== sql)]);
  },
  keep: (sql: string) => sql ? write([{ sql, kept: true }, ...read().filter(s => s.sql !== sql)]) : read(),
  /** It is a recent one again. */
  release: (sql: string) => write(read().map(s => s.sql === sql ? { sql, kept: false } : s)),
  put: write,
  forget: (sql: string) => write(read().filter(s => s.sql !== sql)),
};
