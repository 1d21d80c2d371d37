import { groupOf } from '../../assembly/identity.js';
import { type FieldPath, pointerTo, valueAt } from '../../fields/index.js';
import type { ObjectAddress } from '../../kubernetes/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import type { Json, JsonObject } from '../../util/json.js';

/**
 * Returns a shell command that removes fields of an object: the server refuses it if one of them has another value by then. It contains no
 * values of Secrets.
 */
export function removalCommand({ resource, namespace, name }: ObjectAddress, live: JsonObject, paths: readonly FieldPath[]): string {
  const isSecret = resource.kind === 'Secret' && resource.apiVersion === 'v1';
  const tests = [
    ...paths.flatMap((path) => keyTests(isSecret ? path : path.slice(0, -1), live)),
    ...(isSecret ? [] : paths.map((path) => test(path, live))),
  ];
  const removals = paths.map((path) => ({ op: 'remove', path: pointerTo(path, live) })).sort(fromTheEnd);
  const operations = [...new Map(tests.map((one) => [one.path, one])).values(), ...removals];
  return patchCommand({ resource, name, ...(namespace === undefined ? {} : { namespace }) }, operations);
}

/** Returns a shell command that sends a JSON patch of an object. */
export function patchCommand({ resource, namespace, name }: ObjectAddress, operations: readonly JsonObject[]): string {
  const group = groupOf(resource.apiVersion);
  const kind = group === '' ? resource.plural : `${resource.plural}.${group}`;
  const scope = namespace === undefined ? '' : ` -n ${namespace}`;
  return `kubectl patch ${kind} ${name}${scope} --type=json -p ${quoted(stringifyExactJson(operations))}`;
}

/** Orders removals from the end, so that positions of list items stay. */
function fromTheEnd({ path: left }: { readonly path: string }, { path: right }: { readonly path: string }): number {
  return right.localeCompare(left, 'en', { numeric: true });
}

function test(path: FieldPath, live: JsonObject): JsonObject {
  return { op: 'test', path: pointerTo(path, live), value: valueAt(live, path) as Json };
}

/**
 * Returns tests for the keys of an item, which is named by its position: others may change that. A value that is tested as a whole needs no
 * test of its keys.
 */
function keyTests(path: FieldPath, live: JsonObject): readonly JsonObject[] {
  return path.flatMap((element, index) => {
    if (element.kind !== 'key') return [];
    const item = path.slice(0, index + 1);
    return element.keys
      .filter(([key]) => valueAt(live, [...item, { kind: 'field', name: key }]) !== undefined)
      .map(([key]) => test([...item, { kind: 'field', name: key }], live));
  });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
