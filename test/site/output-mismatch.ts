/**
 * Compares what a page says that a command prints with what it printed. In the page, `…` stands for any text within a line, and a line `…` for
 * any number of lines. Ports, times and addresses of Services may differ. So may blank lines, the order of objects that are applied side by side, and
 * `updated` and `applied`: within one second, nothing proves that an object has changed.
 *
 * @returns the first line of the page that the output does not have, or undefined.
 */
export function outputMismatch(page: string, output: string): string | undefined {
  const printed = linesOf(output);
  let next = 0;
  let skips = false;
  for (const line of linesOf(page)) {
    if (line.trim() === '…') {
      skips = true;
      continue;
    }
    const pattern = patternOf(line);
    const found = printed.findIndex((one, index) => index >= next && pattern.test(one));
    if (found < 0 || (found > next && !skips)) return mismatch(line, printed[next], output);
    next = found + 1;
    skips = false;
  }
  return next < printed.length && !skips ? mismatch('the end', printed[next], output) : undefined;
}

function mismatch(expected: string, found: string | undefined, output: string): string {
  return `expected: ${expected}\nfound:    ${found ?? 'the end'}\nin the output:\n${output}`;
}

function linesOf(text: string): string[] {
  const lines = text
    .replaceAll(/\b127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/\bcontext fieldwise-[\w-]+-[0-9a-f]{6}\b/g, 'context fieldwise-embedded')
    .replaceAll(/\b10\.96\.\d+\.\d+\b/g, '10.96.0.0')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replaceAll(/^ {2}(?:updated|applied) {3}/gm, '  CHANGED   ')
    .replaceAll(/\b\d+ (?:updated|applied)(?:, \d+ (?:updated|applied))?/g, 'N CHANGED')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  return groupsOf(lines).flatMap((group) => group.toSorted().flat());
}

/** Objects of a report begin with two spaces, and their fields with more. Groups of them end at any other line. */
function groupsOf(lines: readonly string[]): string[][][] {
  const groups: string[][][] = [];
  let inGroup = false;
  for (const line of lines) {
    const isObject = /^ {2}[A-Za-z]/.test(line);
    if (isObject && inGroup) groups.at(-1)?.push([line]);
    else if (inGroup && /^ {3}/.test(line)) groups.at(-1)?.at(-1)?.push(line);
    else groups.push([[line]]);
    inGroup = isObject || (inGroup && /^ {3}/.test(line));
  }
  return groups;
}

function patternOf(line: string): RegExp {
  const parts = line.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}
