import { compareUtf8, serializeValue } from '../../fields/index.js';
import { isJsonObject, type Json } from '../../util/json.js';

/** Values as the server, a Go program, prints them in its messages. */

/** Formats a value as Go's `%v` does: `map[a:1]`, `[x y]`, `<nil>`. */
export function goValue(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  return `map[${sortedNames(value)
    .map((name) => `${name}:${goValue(value[name])}`)
    .join(' ')}]`;
}

/** Formats a value as Go's `%#v` does: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: Json | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isJsonObject(value)) return serializeValue(value);
  return `map[string]interface {}{${sortedNames(value)
    .map((name) => `${JSON.stringify(name)}:${goSyntax(value[name])}`)
    .join(', ')}}`;
}

/** Returns Go's `%T` of decoded JSON. */
export function goType(value: Json | undefined): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    case 'bigint':
      return 'int64';
    default:
      return value === null || value === undefined ? '<nil>' : Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  }
}

function sortedNames(value: object): string[] {
  return Object.keys(value).sort(compareUtf8);
}
