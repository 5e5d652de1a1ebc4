let lastKey = 0;

/** Names a request for continuations in `sampling.progress`. */
export function newProgressKey(): string {
  lastKey += 1;
  return `continuations-${lastKey}-${Math.random().toString(36).slice(2)}`;
}
