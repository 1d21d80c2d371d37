import type { DocumentText } from './split-documents.js';

/**
 * Returns the lines of the items of a List in the stream: those of the objects of a JSON text, or of the dashes below `items:` in YAML. Returns
 * the line of the List for each item if the text has another form.
 *
 * @param count the number of items.
 */
export function itemLines({ text, line, contentLine }: DocumentText, count: number): readonly number[] {
  const found = /^\s*\{/.test(text) ? jsonItemLines(text) : yamlItemLines(text);
  if (found.length === count) return found.map((offset) => line + offset);
  return Array.from({ length: count }, () => contentLine);
}

/** Finds the lines of the dashes with the indentation of the first one below the member `items`. */
function yamlItemLines(text: string): readonly number[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^items:\s*(?:#|$)/.test(line));
  if (start < 0) return [];
  const found: number[] = [];
  let indent: string | undefined;
  for (let number = start + 1; number < lines.length; number++) {
    const [, spaces = '', first] = /^( *)(\S)?/.exec(lines[number] as string) ?? [];
    if (first === undefined || first === '#' || first === '\r') continue;
    if (first !== '-' && spaces.length <= (indent?.length ?? 0)) break;
    if (first !== '-') continue;
    indent ??= spaces;
    if (spaces === indent) found.push(number);
  }
  return found;
}

/** Finds the lines of the objects in the lists of the outermost object: of those, a List has only its items. */
function jsonItemLines(text: string): readonly number[] {
  const found: number[] = [];
  let line = 0;
  let open = '';
  let isText = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string;
    if (character === '\n') line++;
    else if (isText && character === '\\') index++;
    else if (character === '"') isText = !isText;
    else if (isText) continue;
    else if (character === '{' || character === '[') {
      if (character === '{' && open === '{[') found.push(line);
      open += character;
    } else if (character === '}' || character === ']') open = open.slice(0, -1);
  }
  return found;
}
