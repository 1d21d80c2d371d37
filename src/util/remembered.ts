/** A longer text is not kept: a client could fill the memory with them. */
const maxLength = 64;

/**
 * Returns a pure function of a text that remembers its results for short texts; it forgets all of them when there are too many.
 *
 * @param longest the length of the longest text that is kept
 */
export function remembered<Result>(compute: (text: string) => Result, limit = 1_000, longest = maxLength): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = compute(text);
    if (text.length > longest) return result;
    if (results.size >= limit) results.clear();
    results.set(text, result);
    return result;
  };
}
