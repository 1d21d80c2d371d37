import { Document, isScalar, parse, visit } from 'yaml';
import type { Json } from '../../util/json.js';

/** Writes YAML as Kubernetes does: sorted members, list items in the column of their list. */
export function yamlText(body: Json): string {
  const document = new Document(body, {
    sortMapEntries: ({ key: left }, { key: right }) => compareNames(nameOf(left), nameOf(right)),
    aliasDuplicateObjects: false,
    // Texts that an older parser takes for something else are quoted.
    version: '1.1',
  });
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string' && isAmbiguous(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ indentSeq: false, lineWidth: 0, singleQuote: true });
}

/** Returns true for a text that would be read as a number, boolean, null or time without quotes. */
function isAmbiguous(text: string): boolean {
  if (text === '') return true;
  if (text.length > 40 || !/^[-+.\d~nNyYoOtTfF][^\n\t]*$/.test(text) || /^- |[:#]\s/.test(text)) return false;
  return typeof read(text) !== 'string';
}

function read(text: string): unknown {
  try {
    return parse(text, { version: '1.1' });
  } catch {
    return text;
  }
}

function nameOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

/** Compares names as people sort them: digits by their number, other characters before letters. Source: observed. */
function compareNames(left: string, right: string): number {
  const [before, after] = [left.match(parts) ?? [], right.match(parts) ?? []];
  for (const [index, part] of before.entries()) {
    const other = after[index];
    if (other === undefined) return 1;
    if (part === other) continue;
    const [isLetter, isOtherLetter] = [letter.test(part), letter.test(other)];
    if (isLetter !== isOtherLetter) return isLetter ? 1 : -1;
    const [number, otherNumber] = [numberOf(part), numberOf(other)];
    if (number !== otherNumber) return number - otherNumber;
    if (part.length !== other.length) return part.length - other.length;
    return part < other ? -1 : 1;
  }
  return before.length - after.length;
}

/** A character that is not a digit counts as 0. */
function numberOf(part: string): number {
  return /^\d/.test(part) ? Number(part) : 0;
}

const parts = /\d+|\D/gu;
const letter = /^\p{L}/u;
