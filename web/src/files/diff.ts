// What differs between two texts, line by line.
export interface Line { sign: " " | "+" | "-" | "…"; text: string }

const around = 3; // equal lines shown on either side of a change
const most = 4_000_000; // pairs of lines that are compared

/** The lines that differ, with some around them; undefined if the texts are too long to be compared. */
export function diff(before: string, after: string): Line[] | undefined {
  const a = lines(before), b = lines(after);
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const x = a.slice(head, a.length - tail), y = b.slice(head, b.length - tail);
  if (x.length * y.length > most) return undefined;
  const same = a.slice(0, head).map((text): Line => ({ sign: " ", text }));
  return shorten([...same, ...middle(x, y), ...a.slice(a.length - tail).map((text): Line => ({ sign: " ", text }))]);
}

function lines(text: string) {
  const all = text.split(/\r?\n/);
  if (all.at(-1) === "") all.pop();
  return all;
}

/** The longest common subsequence, by its table. */
function middle(x: string[], y: string[]): Line[] {
  const width = y.length + 1, length = new Uint32Array((x.length + 1) * width);
  for (let i = x.length - 1; i >= 0; i--) for (let j = y.length - 1; j >= 0; j--)
    length[i * width + j] = x[i] === y[j] ? length[(i + 1) * width + j + 1]! + 1 : Math.max(length[(i + 1) * width + j]!, length[i * width + j + 1]!);
  const out: Line[] = [];
  let i = 0, j = 0;
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i] === y[j]) { out.push({ sign: " ", text: x[i++]! }); j++; }
    else if (i < x.length && (j === y.length || length[(i + 1) * width + j]! >= length[i * width + j + 1]!)) out.push({ sign: "-", text: x[i++]! });
    else out.push({ sign: "+", text: y[j++]! });
  }
  return out;
}

/** Leaves out long runs of equal lines, and says so. */
function shorten(all: Line[]): Line[] {
  const near = all.map(() => false);
  all.forEach((l, i) => { if (l.sign !== " ") for (let k = Math.max(0, i - around); k <= Math.min(all.length - 1, i + around); k++) near[k] = true; });
  const out: Line[] = [];
  for (let i = 0; i < all.length; i++) {
    if (near[i]) { out.push(all[i]!); continue; }
    const from = i;
    while (i + 1 < all.length && !near[i + 1]) i++;
    out.push({ sign: "…", text: `${i - from + 1} equal ${i === from ? "line" : "lines"}` });
  }
  return out;
}
