import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { badRequest } from '../api/status-error.js';
import type { Matcher } from './selectors.js';

/** The fields of a kind that a field selector may name. */
export interface SelectableFields {
  /** The value of each field that has no value in an object, by dotted path. */
  readonly absent: Readonly<Record<string, string>>;
  /** Fields whose path in the object is another one; the first that has a value counts. */
  readonly paths?: Readonly<Record<string, readonly string[]>>;
  /** Message about a field that the kind does not list. */
  readonly unknown: (label: string) => string;
}

/** Those of a kind that has none of its own. */
export const nameAndNamespace: SelectableFields = {
  absent: { 'metadata.name': '', 'metadata.namespace': '' },
  unknown: (label) => `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
};

/**
 * Parses a field selector.
 * Source: Kubernetes documentation "Field Selectors"; responses of a server.
 *
 * @throws StatusError 400
 */
export function fieldMatcher(text: string, { absent, paths, unknown }: SelectableFields): Matcher {
  const terms = (text.match(/(?:\\.?|[^\\,])+/gs) ?? []).map((term) => {
    const [, label, operator, value] = /^((?:\\.|[^\\=!]|!(?!=))*)(!=|==?)(.*)$/s.exec(term) ?? [];
    if (label === undefined) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    return { label, equals: operator !== '!=', value: unescaped(value as string) };
  });
  const requirements = terms
    .filter(({ label, value }) => label !== '' || value !== '')
    .map(({ label, equals, value }) => {
      const empty = Object.hasOwn(absent, label) ? absent[label] : undefined;
      if (empty === undefined) throw badRequest(unknown(label));
      const from = paths?.[label] ?? [label];
      return (object: JsonObject) => ((textAt(object, from) ?? empty) === value) === equals;
    });
  return (object) => requirements.every((satisfies) => satisfies(object));
}

/** Commas, equals signs and backslashes in a value have a backslash before them. */
function unescaped(value: string): string {
  return value.replace(/\\(.?)|=/gs, (found, escaped: string | undefined) => {
    if (found === '=') throw badRequest('invalid field selector: unescaped character in value: 61');
    if (escaped === '' || !',=\\'.includes(escaped as string))
      throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
    return escaped as string;
  });
}

function textAt(object: JsonObject, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    let value: Json | undefined = object;
    for (const name of path.split('.')) value = isJsonObject(value) ? value[name] : undefined;
    if (value !== undefined && value !== null && typeof value !== 'object' && value !== '') return String(value);
  }
  return undefined;
}
