/** For what kubectl prints in the order of a Go map. */
export function sortedLines(output: string): string {
  return output.split('\n').sort().join('\n');
}
