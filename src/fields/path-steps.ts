/**
 * The steps of a path as the server writes it, in one pass: field names between items, and items, such as `.spec.ports`, `[port=80]`,
 * `.name`. An item that has no end is text like any other.
 */
export function stepsOf(path: string): readonly string[] {
  const steps: string[] = [];
  for (let start = 0; start < path.length; ) {
    const end = path.charAt(start) === '[' ? endOfItem(path, start) : nextItem(path, start);
    steps.push(path.slice(start, end));
    start = end;
  }
  return steps;
}

/** Whether a step is an item and not field names. */
export function isItemStep(step: string): boolean {
  return step.startsWith('[') && step.endsWith(']');
}

function nextItem(path: string, start: number): number {
  const open = path.indexOf('[', start);
  return open < 0 ? path.length : open;
}

/** Brackets inside quotes belong to values. */
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
