import { compareUtf8 } from '../../fields/index.js';
import { badRequest } from './status-error.js';

/** One condition of a field selector. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/**
 * Parses a field selector: `metadata.name=x,status.phase!=Running`. In values, a backslash escapes `\`, `,` and `=`.
 * Source: Kubernetes documentation "Field Selectors"; escapes and messages as observed.
 *
 * @throws StatusError 400
 */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  // The server sorts the conditions before it reads them.
  const parts = [...splitUnescaped(text)].sort(compareUtf8);
  return parts.flatMap((part) => (part === '' ? [] : requirement(part, text)));
}

/** Splits a selector at its commas, except escaped ones. */
function splitUnescaped(text: string): readonly string[] {
  if (!text.includes('\\')) return text.split(',');
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === ',') {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function requirement(part: string, selector: string): FieldRequirement[] {
  const equals = part.indexOf('=');
  if (equals < 0) throw badRequest(`invalid selector: '${selector}'; can't understand '${part}'`);
  const isNegated = part[equals - 1] === '!';
  const field = part.slice(0, isNegated ? equals - 1 : equals);
  const value = unescaped(part.slice(!isNegated && part[equals + 1] === '=' ? equals + 2 : equals + 1));
  return field === '' && value === '' ? [] : [{ field, operator: isNegated ? '!=' : '=', value }];
}

function unescaped(text: string): string {
  if (!/[\\=]/.test(text)) return text;
  let value = '';
  let isEscaped = false;
  for (const character of text) {
    if (!isEscaped && character === '=') throw badRequest('invalid field selector: unescaped character in value: 61');
    if (isEscaped && !'\\,='.includes(character)) throw badRequest(`invalid field selector: invalid escape sequence: \\${character}`);
    isEscaped = !isEscaped && character === '\\';
    if (!isEscaped) value += character;
  }
  if (isEscaped) throw badRequest('invalid field selector: invalid escape sequence: \\');
  return value;
}
