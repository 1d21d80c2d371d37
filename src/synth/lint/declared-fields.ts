import { isJsonObject, isList, type Json } from '../../util/json.js';
import { isSecretReference } from '../../util/secret-reference.js';
import { itemOf, memberOf, type Typed } from '../declared/typed.js';
import { itemKey } from '../merge/item-key.js';

/** A field that an intent declares. */
export interface DeclaredField {
  /** Field path with list keys, such as `.spec.ports[port=80].name`. */
  readonly path: string;
  readonly value: Json;
  /** Undefined if its type is not known. */
  readonly typed: Typed | undefined;
  /** `part`: a granular map, an associative list or an item of one; `whole`: a value without fields; `unknown`: a list of unknown type. */
  readonly kind: 'part' | 'whole' | 'unknown';
}

/** Yields the fields of a value, each before those inside it; maps of unknown type are granular, as on the server. */
export function* declaredFields(value: Json, typed: Typed | undefined, path = ''): Generator<DeclaredField> {
  if (isSecretReference(value)) {
    yield { path, value, typed, kind: 'whole' };
  } else if (isList(value)) {
    const relation = typed?.type.list?.relation;
    yield { path, value, typed, kind: relation === undefined ? 'unknown' : relation === 'atomic' ? 'whole' : 'part' };
    if (!typed || relation !== 'associative') return;
    for (const item of value) yield* declaredFields(item, itemOf(typed), path + itemKey(item, typed).text);
  } else if (isJsonObject(value)) {
    const isAtomic = typed?.type.map?.relation === 'atomic';
    yield { path, value, typed, kind: isAtomic ? 'whole' : 'part' };
    if (isAtomic) return;
    for (const [name, member] of Object.entries(value)) {
      if (member !== undefined) yield* declaredFields(member, memberOf(typed, name), `${path}.${name}`);
    }
  } else {
    yield { path, value, typed, kind: 'whole' };
  }
}

/** Returns true for the fields that address an object; they do not count as declared fields. */
export function isAddress(path: string): boolean {
  return path === '.apiVersion' || path === '.kind' || path === '.metadata.name' || path === '.metadata.namespace';
}
