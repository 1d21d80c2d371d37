/** Returns a pure function that remembers its last result, for callers that often ask for the same in a row. */
export function latest<Input, Result>(
  compute: (input: Input) => Result,
  same: (left: Input, right: Input) => boolean,
): (input: Input) => Result {
  let last: { readonly input: Input; readonly result: Result } | undefined;
  return (input) => {
    if (last === undefined || !same(last.input, input)) last = { input, result: compute(input) };
    return last.result;
  };
}
