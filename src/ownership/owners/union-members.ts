import {
  emptyFieldSet,
  type FieldPath,
  type FieldSet,
  itemIndex,
  type PathElement,
  parseElement,
  serializeElement,
  union,
  valueAt,
} from '../../fields/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { managedFieldsOf } from '../managed-fields/managed-fields.js';

/** The server's error about one field that it rejects. */
export interface RefusedField {
  /** A path such as `spec.template.spec.volumes[1].configMap`; positions count in the resulting object. */
  readonly field: string;
  readonly message: string;
}

/**
 * Returns the undeclared fields of a live object for which the server rejects an intent: members of a union of which the intent chooses
 * another, such as the `rollingUpdate` that the server once filled in beside a new `type: Recreate`. An error names either the blocking
 * member, or the one that the intent declares beside it.
 *
 * @returns undefined if one of the causes is of another kind.
 */
export function blockingUnionMembers(
  causes: readonly RefusedField[],
  live: JsonObject,
  intent: JsonObject,
): readonly FieldPath[] | undefined {
  const owned = managedFieldsOf(live).reduce<FieldSet>(
    (all, { fields, subresource }) => (subresource ? all : union(all, fields)),
    emptyFieldSet,
  );
  const found: FieldPath[] = [];
  for (const cause of causes) {
    const candidates = refusedMembersOf(segmentsOf(cause.field), { live, intent, owned });
    const blocking = candidates.flatMap((candidate) => blockingMembers(candidate, cause));
    if (blocking.length === 0) return undefined;
    for (const path of blocking) if (!found.some((other) => samePath(other, path))) found.push(path);
  }
  return found.length > 0 ? found : undefined;
}

/** A map that exists in both the live object and the intent, and the name of a member that the server rejects. */
interface RefusedMember {
  readonly path: FieldPath;
  readonly live: JsonObject;
  readonly intent: JsonObject;
  readonly name: string;
}

function blockingMembers({ path, live, intent, name }: RefusedMember, { message }: RefusedField): readonly FieldPath[] {
  const below = (member: string): FieldPath => [...path, { kind: 'field', name: member }];
  if (live[name] !== undefined && intent[name] === undefined) return [below(name)];
  const undeclared = Object.keys(live).filter((member) => live[member] !== undefined && intent[member] === undefined);
  const named = undeclared.filter((member) => message.includes(`\`${member}\``));
  if (named.length > 0) return named.map(below);
  // The message does not distinguish several maps.
  const maps = undeclared.filter((member) => isJsonObject(live[member]));
  return maps.length === 1 && /more than (1|one)\b/.test(message) ? maps.map(below) : [];
}

type Segment = { readonly name: string } | 'item';

/** Splits a field path. Names with dots (keys of maps) are split too: such a path does not exist in the object. */
function segmentsOf(field: string): readonly Segment[] {
  return field
    .replaceAll(/\[[^[\]]*\]/g, '.[]')
    .split('.')
    .filter((text) => text !== '')
    .map((text) => (text === '[]' ? 'item' : { name: text }));
}

interface Cursor {
  readonly live: Json | undefined;
  readonly intent: Json | undefined;
  /** All owned fields below; they show which keys name the items of a list. */
  readonly owned: FieldSet;
}

function refusedMembersOf(segments: readonly Segment[], { live, intent, owned }: Cursor, path: FieldPath = []): readonly RefusedMember[] {
  const [segment, ...rest] = segments;
  if (segment === undefined) return [];
  if (segment === 'item') {
    return itemsOf(owned, live, intent).flatMap((element) =>
      refusedMembersOf(rest, { live: valueAt(live, [element]), intent: valueAt(intent, [element]), owned: below(owned, element) }, [
        ...path,
        element,
      ]),
    );
  }
  if (!isJsonObject(live) || !isJsonObject(intent)) return [];
  const { name } = segment;
  if (rest.length === 0) return [{ path, live, intent, name }];
  const element: PathElement = { kind: 'field', name };
  return refusedMembersOf(rest, { live: live[name], intent: intent[name], owned: below(owned, element) }, [...path, element]);
}

/** Returns the items that both lists have. */
function itemsOf(owned: FieldSet, live: Json | undefined, intent: Json | undefined): readonly Exclude<PathElement, { kind: 'field' }>[] {
  const elements = [...owned.members, ...owned.children.keys()].map((text) => parseElement(text));
  const keyed = elements.flatMap((element) => (element.kind === 'key' ? [element] : []));
  const unique = new Map(keyed.map((element) => [serializeElement(element), element]));
  return [...unique.values()].filter((element) => itemIndex(live, element) !== undefined && itemIndex(intent, element) !== undefined);
}

function below(owned: FieldSet, element: PathElement): FieldSet {
  return owned.children.get(serializeElement(element)) ?? emptyFieldSet;
}

function samePath(left: FieldPath, right: FieldPath): boolean {
  return (
    left.length === right.length &&
    left.every((element, index) => serializeElement(element) === serializeElement(right[index] as PathElement))
  );
}
