// The statements that the page runs of itself, one after the other.
const mostAtOnce = 2; // statements that the page runs of itself: a server allows a user few at a time
let running = 0;
const waiting: (() => void)[] = [];

/** Does some work when its turn comes, unless it is stopped before. */
export async function inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (running >= mostAtOnce) await new Promise<void>(go => waiting.push(go));
  else running++;
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    const next = waiting.shift(); // which takes this one's place
    if (next) next();
    else running--;
  }
}
