/** The shortest beginning of a path that is worth a line of its own. */
const shortest = 24;

/**
 * Formats fields as lines, with a long beginning that the next ones share on a line of its own, above what follows it in each of them.
 *
 * @param format returns the lines of a field.
 * @param isShortened false where each line names its whole path, as in a log, which is searched.
 */
export function fieldLines<Field extends { readonly field: string }>(
  fields: readonly Field[],
  format: (field: Field) => readonly string[],
  isShortened: boolean,
): readonly string[] {
  if (!isShortened) return fields.flatMap(format);
  const lines: string[] = [];
  for (let index = 0; index < fields.length; ) {
    const { shared, count } = groupAt(fields, index);
    const group = fields.slice(index, index + count);
    if (count === 1) lines.push(...group.flatMap(format));
    else {
      const rest = group.map((field) => ({ ...field, field: field.field.slice(shared.length) }));
      lines.push(shared, ...rest.flatMap(format).map((line) => `  ${line}`));
    }
    index += count;
  }
  return lines;
}

/** Returns the longest beginning that the field at an index shares with the next one, and the number of fields that have it. */
function groupAt(fields: readonly { readonly field: string }[], index: number): { readonly shared: string; readonly count: number } {
  const shared = sharedStart(fields[index]?.field ?? '', fields[index + 1]?.field ?? '');
  if (shared.length < shortest) return { shared: '', count: 1 };
  let end = index + 2;
  while (fields[end]?.field.startsWith(shared) && isStep(fields[end]?.field[shared.length])) end++;
  return { shared, count: end - index };
}

/** Returns the beginning of whole steps that two paths share, and that is all of none of them. */
function sharedStart(one: string, other: string): string {
  let end = 0;
  let isInKey = false;
  let isInText = false;
  let isEscaped = false;
  for (let index = 0; index < Math.min(one.length, other.length); index++) {
    const character = one[index];
    if (!isInKey && isStep(character) && isStep(other[index])) end = index;
    if (character !== other[index]) break;
    if (isEscaped) isEscaped = false;
    else if (isInText && character === '\\') isEscaped = true;
    else if (isInKey && character === '"') isInText = !isInText;
    else if (!isInText && character === '[') isInKey = true;
    else if (!isInText && character === ']') isInKey = false;
  }
  return one.slice(0, end);
}

function isStep(character: string | undefined): boolean {
  return character === '.' || character === '[';
}
