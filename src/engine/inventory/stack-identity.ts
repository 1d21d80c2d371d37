import { createHash } from 'node:crypto';
import { metadataOf } from '../../fields/object.js';
import { fieldManagerOf } from '../../util/field-manager.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** The stack that an inventory belongs to. */
export interface StackIdentity {
  readonly app: string;
  readonly instance: string;
  readonly stack: string;
  readonly manager: string;
}

/** A stack to find: as a program declares it, or only its field manager. */
export type StackQuery = StackIdentity | { readonly manager: string };

/** The label of every ConfigMap of an inventory: its value stands for the field manager. */
export const inventoryLabel = 'fieldwise.dev/inventory';

/** The label of the same ConfigMaps by which the stacks of an app and instance are found. */
export const instanceLabel = 'fieldwise.dev/instance';

/** The annotation of the same ConfigMaps with the name of the stack, for requests that read only metadata. */
export const stackAnnotation = 'fieldwise.dev/stack';

/** The annotation with the id of the program that deploys the stack, likewise. */
export const programAnnotation = 'fieldwise.dev/program';

/** Returns a label value that stands for an instance of an app. */
export function labelOfInstance(app: string, instance: string): string {
  return labelOf(JSON.stringify([app, instance]));
}

/** Returns a label value that stands for a field manager. */
export function labelOf(manager: string): string {
  return createHash('sha256').update(manager).digest('hex').slice(0, 40);
}

/** Returns a readable, valid and unique name for a ConfigMap of an inventory; the name of the first is also that of the stack's Lease. */
export function shardName(stack: StackIdentity, index: number): string {
  const readable = [stack.app, stack.instance, stack.stack]
    .join('.')
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/[-.]+/g, (run) => (run.includes('.') ? '.' : run))
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '')
    .slice(0, 150)
    .replace(/(?<![-.])[-.]+$/, '');
  return [readable || 'stack', labelOf(stack.manager).slice(0, 10), ...(index > 0 ? [String(index)] : [])].join('.');
}

/** Returns the index of the stack's shard with a name; undefined where no shard has it. */
export function shardIndex(stack: StackIdentity, name: string): number | undefined {
  const first = shardName(stack, 0);
  if (name === first) return 0;
  const [, digits] = /^\.([1-9][0-9]{0,8})$/.exec(name.slice(first.length)) ?? [];
  return digits !== undefined && name.startsWith(first) ? Number(digits) : undefined;
}

/**
 * Returns the stack whose inventory a ConfigMap is. Anybody who may create ConfigMaps may give one the label, so the name, the label, the
 * stack in the data and the field manager that follows from it must match.
 *
 * @returns undefined where they do not match.
 */
export function stackOfShard(object: JsonObject, query?: StackQuery): StackIdentity | undefined {
  const data = isJsonObject(object.data) ? object.data : {};
  const { app, instance, stack, manager } = data;
  if (typeof app !== 'string' || typeof instance !== 'string' || typeof stack !== 'string' || typeof manager !== 'string') return undefined;
  const identity = { app, instance, stack, manager };
  const { name, labels } = metadataOf(object);
  const label: Json | undefined = isJsonObject(labels) ? labels[inventoryLabel] : undefined;
  if (label !== labelOf(manager) || shardIndex(identity, String(name)) === undefined) return undefined;
  if (query !== undefined && query.manager !== manager) return undefined;
  if (query === undefined || !('stack' in query)) return fieldManagerOf(identity) === manager ? identity : undefined;
  return app === query.app && instance === query.instance && stack === query.stack ? identity : undefined;
}

/** Returns the stack whose inventory a ConfigMap is by its name and its label, whatever stack its data names. */
export function stackByName(object: JsonObject, stacks: readonly StackIdentity[]): StackIdentity | undefined {
  const { name, labels } = metadataOf(object);
  const label = isJsonObject(labels) ? labels[inventoryLabel] : undefined;
  return stacks.find((stack) => label === labelOf(stack.manager) && shardIndex(stack, String(name)) !== undefined);
}
