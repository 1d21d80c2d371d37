/** A longer text is not kept: a client could fill the memory with them. */
const maxLength = 64;

/** Returns a pure function of a text that remembers its results for short texts; it forgets all of them when there are too many. */
export function remembered<Result>(compute: (text: string) => Result, limit = 1_000): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = compute(text);
    if (text.length > maxLength) return result;
    if (results.size >= limit) results.clear();
    results.set(text, result);
    return result;
  };
}
