/**
 * Returns the ways to answer the questions of a run, for the next step of an error: `Run again ${waysToConfirm()}`.
 *
 * @param other another way, between commas.
 */
export function waysToConfirm(other = ''): string {
  return `with --yes (library: \`yes: true\`)${other}, or at a terminal to be asked (library: \`confirm\`)`;
}
