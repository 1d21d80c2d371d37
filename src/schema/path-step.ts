/** `.name`, or `["odd name"]` where a dot would mislead. */
export function pathStep(name: string): string {
  return /^[\w$-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
