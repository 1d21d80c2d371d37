/**
 * Splits a path as the server writes it: field names between items, and items, such as `.spec.ports`, `[port=80]`, `.name`. An unterminated
 * item is ordinary text.
 */
export function pathStepsOf(path: string): readonly string[] {
  const steps: string[] = [];
  for (let start = 0; start < path.length; ) {
    const end = path.charAt(start) === '[' ? endOfItem(path, start) : nextItem(path, start);
    steps.push(path.slice(start, end));
    start = end;
  }
  return steps;
}

/** Returns true if a step is an item. */
export function isItemStep(step: string): boolean {
  return step.startsWith('[') && step.endsWith(']');
}

function nextItem(path: string, start: number): number {
  const open = path.indexOf('[', start);
  return open < 0 ? path.length : open;
}

/** Returns the end of an item. Brackets inside quotes belong to values. */
function endOfItem(path: string, start: number): number {
  let quoted = false;
  for (let index = start + 1; index < path.length; index++) {
    const character = path.charAt(index);
    if (character === '"') quoted = !quoted;
    else if (quoted && character === '\\') index += 1;
    else if (!quoted && character === ']') return index + 1;
  }
  return path.length;
}
