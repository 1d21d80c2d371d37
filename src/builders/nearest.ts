/** Returns `; did you mean "x"?` if one of the names differs in case or by at most two letters, else an empty text. */
export function nearest(name: string, names: Iterable<string>): string {
  let best: string | undefined;
  let least = 3;
  for (const candidate of names) {
    const cost = candidate.toLowerCase() === name.toLowerCase() ? 0 : distance(name, candidate, least);
    if (cost < least) [best, least] = [candidate, cost];
  }
  return best === undefined || least >= name.length ? '' : `; did you mean ${JSON.stringify(best)}?`;
}

// Levenshtein distance with two rows; stops at `limit`.
function distance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const change = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return Math.min(limit, row[right.length] as number);
}
