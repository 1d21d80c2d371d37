import type { GuardedField } from './guarded-fields.js';

/** An object with its guarded fields. */
export interface GuardedObject {
  readonly name: string;
  readonly fields: readonly GuardedField[];
  /** The field that its scale subresource writes, as the Scale has it, if it is guarded. */
  readonly replicas?: GuardedField;
}

/** Objects with the same guarded fields. */
export interface GuardedGroup {
  readonly names: readonly string[];
  readonly fields: readonly GuardedField[];
}

/**
 * The limits of one policy. A server evaluates the expressions of a policy for at most 10,000,000 units of cost per request and then counts
 * the policy as violated; live lists may be longer than the declared ones, so a policy is planned for a quarter. A server also rejects an
 * expression beyond 100,000 characters (observed on 1.36), objects beyond 1.5 MiB, and the annotations of one beyond 256 KiB. Source:
 * Kubernetes documentation "Common Expression Language in Kubernetes".
 */
const limits = { cost: 2_500_000, text: 60_000, names: 200 } as const;

/**
 * Groups objects with the same guarded fields, and distributes the groups to policies within the limits of a server. The fields of one
 * object are in several policies only where one cannot hold them.
 */
export function splitIntoPolicies(objects: readonly GuardedObject[]): readonly (readonly GuardedGroup[])[] {
  const policies: GuardedGroup[][] = [];
  let text = 0;
  for (const { group, isContinued } of groupsOf(objects).flatMap(cut)) {
    const size = groupLength(group);
    const last = policies.at(-1);
    if (last === undefined || isContinued || text + size > limits.text) {
      policies.push([group]);
      text = size;
    } else {
      last.push(group);
      text += size;
    }
  }
  return policies;
}

function groupsOf(objects: readonly GuardedObject[]): readonly GuardedGroup[] {
  const groups = new Map<string, { names: string[]; fields: readonly GuardedField[] }>();
  for (const { name, fields } of [...objects].sort((left, right) => (left.name < right.name ? -1 : 1))) {
    if (fields.length === 0) continue;
    const key = JSON.stringify(fields.map(({ text, compares }) => [text, compares]));
    const same = groups.get(key);
    if (same === undefined) groups.set(key, { names: [name], fields });
    else same.names.push(name);
  }
  return [...groups.values()];
}

/** Cuts a group into parts that one policy can hold. */
function cut({ names, fields }: GuardedGroup): readonly { readonly group: GuardedGroup; readonly isContinued: boolean }[] {
  const parts: GuardedField[][] = [];
  let [cost, text] = [0, 0];
  for (const field of fields) {
    const part = parts.at(-1);
    cost += field.cost;
    text += fieldText(field);
    if (part !== undefined && cost <= limits.cost && text <= limits.text) {
      part.push(field);
    } else {
      parts.push([field]);
      [cost, text] = [field.cost, fieldText(field)];
    }
  }
  const blocks = Array.from({ length: Math.ceil(names.length / limits.names) }, (_, index) =>
    names.slice(index * limits.names, (index + 1) * limits.names),
  );
  return blocks.flatMap((block) => parts.map((part, index) => ({ group: { names: block, fields: part }, isContinued: index > 0 })));
}

function groupLength({ names, fields }: GuardedGroup): number {
  return fields.reduce((sum, field) => sum + fieldText(field), 0) + names.reduce((sum, name) => sum + 4 * name.length, 0);
}

/** Estimates the length of the comparison of a field, which contains the path three times, and the keys of an item four times more. */
function fieldText({ path, text }: GuardedField): number {
  return 4 * text.length + (path.at(-1)?.kind === 'key' ? 500 : 80);
}
