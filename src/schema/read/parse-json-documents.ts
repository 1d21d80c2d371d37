/**
 * Parses JSON documents that follow each other, as `kubectl get -o json` of several calls, or `jq -c`, prints them.
 *
 * @returns undefined if the text is anything else.
 */
export function parseJsonDocuments(text: string): readonly unknown[] | undefined {
  try {
    return [JSON.parse(text)];
  } catch {}
  try {
    return objectsIn(text)?.map((part): unknown => JSON.parse(part));
  } catch {
    return undefined;
  }
}

/** Splits a text of objects by their braces, each with the space before it; undefined if there is only one, or anything between them. */
export function objectsIn(text: string): readonly string[] | undefined {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  let isText = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '\\' && isText) index++;
    else if (character === '"') isText = !isText;
    else if (isText) continue;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) {
      parts.push(text.slice(start, index + 1));
      start = index + 1;
    }
  }
  return parts.length > 1 && text.slice(start).trim() === '' ? parts : undefined;
}
