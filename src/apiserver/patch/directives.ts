import { goType, goValue } from '../../merge/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { badRequest, internalError, type StatusError } from '../api/status-error.js';

const invalidFormatMessages = {
  $deleteFromPrimitiveList: 'invalid patch format of primitive list',
  $setElementOrder: 'invalid patch format of setElementOrder list',
} as const;

/** Returns true if an object has a member of this name, even if it is null. */
export function has(object: JsonObject, name: string): boolean {
  return object[name] !== undefined;
}

/** Returns LIST of `DIRECTIVE/LIST`; undefined for any other member. @throws StatusError 400 if LIST is missing */
export function listOfDirective(name: string, directive: keyof typeof invalidFormatMessages): string | undefined {
  if (!name.startsWith(directive)) return undefined;
  if (name[directive.length] !== '/') throw badRequest(invalidFormatMessages[directive]);
  return name.slice(directive.length + 1);
}

/** Returns the names in `$retainKeys`. @throws StatusError 400 if the patch has a member that is not listed */
export function retainedKeys(retained: Json, members: JsonObject): ReadonlySet<Json> {
  if (!Array.isArray(retained)) throw badRequest('invalid patch format of retainKeys');
  const kept = new Set(retained as readonly Json[]);
  for (const [name, value] of Object.entries(members)) {
    const free = value === null || Object.keys(invalidFormatMessages).some((directive) => name.startsWith(directive));
    if (!free && !kept.has(name)) throw badRequest('invalid patch format of retainKeys');
  }
  return kept;
}

export function unknownDirective(patch: JsonObject): StatusError {
  return internalError(`unknown patch type: ${asText(patch.$patch)} in map: ${goValue(patch)}`);
}

/** Formats a value as Go's `%s` does. */
function asText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(asText).join(' ')}]`;
  return isJsonObject(value) ? goValue(value) : `%!s(${goType(value)}=${goValue(value)})`;
}

/** Returns the error for a value of another type than a patch expects. */
export function wrongType(expected: Json, found: Json): StatusError {
  return internalError(`expected a ${goType(expected)}, but received a ${found === null ? '%!s(<nil>)' : goType(found)}`);
}

/**
 * Returns the value that a patch adds if there was none before: without nulls in maps, and without maps that have a `$patch`, even
 * `replace`; undefined if the value is such a map itself. Other directives are kept as ordinary members. Source: observed.
 */
export function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map(withoutDirectives);
    return items.filter((item) => item !== undefined);
  }
  if (!isJsonObject(value)) return value;
  if (has(value, '$patch')) return undefined;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const kept = member === null ? undefined : withoutDirectives(member as Json);
    return kept === undefined ? [] : [[name, kept]];
  });
  return Object.fromEntries(members) as JsonObject;
}
