import { objectReference } from '../../../engine/addresses/object-reference.js';
import { applySetAnnotations } from '../../../engine/pruners/apply-set.js';
import type { EntryIdentity } from '../../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { listOf, type RecordedReference, readOwner, readReference, recordText } from '../record-json.js';
import type { TakenMember } from './divide-members.js';
import type { ApplySet } from './find-apply-set.js';
import { ownersOfName } from './metadata-name.js';

/** A label or annotation that a takeover changes, as it was before. */
export interface RecordedName {
  readonly name: string;
  /** Absent if the object did not have it. */
  readonly value?: string;
  readonly owners: readonly EntryIdentity[];
}

/** The part of a record that returns members to their ApplySet. */
export interface RecordedApplySet {
  readonly id: string;
  readonly parent: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly uid: string;
    readonly annotations: readonly RecordedName[];
  };
  readonly members: readonly RecordedMember[];
}

/** A member that left its set. */
export interface RecordedMember {
  readonly reference: RecordedReference;
  readonly uid: string;
  /** The owners of its label. */
  readonly owners: readonly EntryIdentity[];
}

/** Returns a set and the members that are about to leave it as a record contains them. */
export function recordedApplySetOf({ id, address, uid, annotations, parent }: ApplySet, taken: readonly TakenMember[]): RecordedApplySet {
  const { resource, ...place } = address;
  const { apiVersion, kind } = resource;
  return {
    id,
    parent: {
      apiVersion,
      kind,
      ...place,
      uid,
      annotations: Object.values(applySetAnnotations).map((name) => {
        const value = annotations[name];
        return { name, ...(value === undefined ? {} : { value }), owners: ownersOfName(parent, 'annotations', name) };
      }),
    },
    members: taken.map(({ member, step: { stack, intent } }) => {
      const { lifecycle: _, ...reference } = objectReference(stack.name, stack.manager, intent);
      return { reference, uid: member.uid, owners: member.owners };
    }),
  };
}

/** Returns a recorded set as JSON. */
export function applySetJson({ id, parent, members }: RecordedApplySet): JsonObject {
  const ownersJson = (owners: readonly EntryIdentity[]): readonly Json[] => owners.map((owner) => ({ ...owner }));
  const { annotations, ...identity } = parent;
  return {
    id,
    parent: { ...identity, annotations: annotations.map(({ owners, ...annotation }) => ({ ...annotation, owners: ownersJson(owners) })) },
    members: members.map(({ reference, uid, owners }) => ({ ...reference, uid, owners: ownersJson(owners) })),
  };
}

/** Reads a recorded set. @throws TypeError. */
export function readApplySet(value: JsonObject): RecordedApplySet {
  const parent = isJsonObject(value.parent) ? value.parent : {};
  return {
    id: recordText(value, 'id'),
    parent: {
      apiVersion: recordText(parent, 'apiVersion'),
      kind: recordText(parent, 'kind'),
      ...(parent.namespace === undefined ? {} : { namespace: recordText(parent, 'namespace') }),
      name: recordText(parent, 'name'),
      uid: recordText(parent, 'uid'),
      annotations: listOf(parent, 'annotations').map(readName),
    },
    members: listOf(value, 'members').map((member) => ({
      reference: readReference(member),
      uid: recordText(member, 'uid'),
      owners: listOf(member, 'owners').map(readOwner),
    })),
  };
}

/** Accepts only annotations of a set: a changed record must not write others. */
function readName(value: JsonObject): RecordedName {
  const name = recordText(value, 'name');
  if (!(Object.values(applySetAnnotations) as readonly string[]).includes(name))
    throw new TypeError(`${name} is not an annotation of an ApplySet`);
  const text = value.value === undefined ? {} : { value: recordText(value, 'value') };
  return { name, ...text, owners: listOf(value, 'owners').map(readOwner) };
}
