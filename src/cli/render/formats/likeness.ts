import { createHash } from 'node:crypto';
import { stringifyExactJson } from '../../../util/exact-json.js';
import type { Json } from '../../../util/json.js';
import type { RecordedObject } from './recorded-run.js';

/** Returns a short text that is equal for equal facts. */
export function likenessText(facts: object): string {
  return createHash('sha256')
    .update(stringifyExactJson(facts as Json))
    .digest('base64');
}

/** Puts objects of one stack beside each other, and those with the same change into one group; both keep their first place. */
export function groupAlike<T extends Pick<RecordedObject, 'stack' | 'likeness'>>(objects: readonly T[]): readonly (readonly [T, ...T[]])[] {
  const stacks = new Map<string, Map<string, [T, ...T[]]>>();
  for (const object of objects) {
    const groups = stacks.get(object.stack) ?? new Map<string, [T, ...T[]]>();
    stacks.set(object.stack, groups);
    const likeness = object.likeness();
    const group = groups.get(likeness);
    if (group === undefined) groups.set(likeness, [object]);
    else group.push(object);
  }
  return [...stacks.values()].flatMap((groups) => [...groups.values()]);
}
