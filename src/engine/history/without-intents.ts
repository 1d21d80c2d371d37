import type { IntentManifest, PartialObject, StackManifest } from '../../assembly/types.js';

/** A stack with its objects. */
export interface StackObjects {
  readonly stack: StackManifest;
  readonly objects: readonly PartialObject[];
}

/** Returns a stack without some of its intents, by position; the positions in dependencies and groups follow. */
export function withoutIntents({ stack, objects }: StackObjects, removed: ReadonlySet<number>): StackObjects {
  if (removed.size === 0) return { stack, objects };
  const count = stack.intents.length;
  const positions = new Map<number, number>();
  for (let index = 0; index < count; index++) if (!removed.has(index)) positions.set(index, positions.size);
  const left = positions.size;
  const groups = stack.groups ?? [];
  for (const index of groups.keys()) positions.set(count + index, left + index);
  const moved = (indices: readonly number[]) => indices.flatMap((index) => positions.get(index) ?? []);
  const intents = stack.intents
    .filter((_, index) => !removed.has(index))
    .map((intent) => ({ ...intent, dependsOn: moved(intent.dependsOn) }));
  return {
    stack: { ...stack, intents, ...(stack.groups ? { groups: groups.map(moved) } : {}) },
    objects: objects.filter((_, index) => !removed.has(index)),
  };
}

/** Returns a stack with one more intent, which waits for no other one; the positions of groups follow. */
export function withIntent({ stack, objects }: StackObjects, intent: IntentManifest, object: PartialObject): StackObjects {
  const count = stack.intents.length;
  const moved = (indices: readonly number[]) => indices.map((index) => (index < count ? index : index + 1));
  const intents = stack.intents.map((one) => ({ ...one, dependsOn: moved(one.dependsOn) }));
  return {
    stack: {
      ...stack,
      intents: [...intents, { ...intent, dependsOn: [] }],
      ...(stack.groups ? { groups: stack.groups.map(moved) } : {}),
    },
    objects: [...objects, object],
  };
}
