import { goType, goValue } from '../../merge/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { badRequest, internalError, type StatusError } from '../api/status-error.js';

const invalidFormatMessages = {
  $deleteFromPrimitiveList: 'invalid patch format of primitive list',
  $setElementOrder: 'invalid patch format of setElementOrder list',
} as const;

/** Whether an object has a member of this name, be it null. */
export function has(object: JsonObject, name: string): boolean {
  return object[name] !== undefined;
}

/** The list that `DIRECTIVE/LIST` speaks of; undefined where a member is something else. @throws Failure 400 where it names no list */
export function listOfDirective(name: string, directive: keyof typeof invalidFormatMessages): string | undefined {
  if (!name.startsWith(directive)) return undefined;
  if (name[directive.length] !== '/') throw badRequest(invalidFormatMessages[directive]);
  return name.slice(directive.length + 1);
}

/** The names that `$retainKeys` lists. @throws Failure 400 where the patch has a member that it does not list */
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

/** Go's `%s`, which expects text. */
function asText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(asText).join(' ')}]`;
  return isJsonObject(value) ? goValue(value) : `%!s(${goType(value)}=${goValue(value)})`;
}

/** Something stands where a patch needs a value of another type. */
export function wrongType(expected: Json, found: Json): StatusError {
  return internalError(`expected a ${goType(expected)}, but received a ${found === null ? '%!s(<nil>)' : goType(found)}`);
}

/**
 * What a patch brings where nothing was: without nulls in maps, and without maps that have a `$patch`, be it `replace`; undefined where
 * it is one itself. Other directives are members like others. Source: observed.
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
