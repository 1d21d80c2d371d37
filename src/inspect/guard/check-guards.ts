import { groupOf, type ObjectIdentity, objectText } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { listGuards } from '../../engine/guards/guard-diagnostics.js';
import type { LiveGuard } from '../../engine/guards/guard-manifest.js';
import { selectStacks } from '../../engine/prepare/select-stacks.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { type GuardOptions, guardsOf } from './guards-of.js';

/** The guard of a stack in the cluster, compared with what the program declares. */
export interface CheckedGuard {
  readonly stack: string;
  /** `none`: the cluster has no guard of the stack. */
  readonly state: 'current' | 'stale' | 'none';
  /** Declared fields that others may change without a word: the guard is older than they are. */
  readonly uncovered: readonly ObjectFields[];
  /** Guarded fields that the stack no longer declares. */
  readonly left: readonly ObjectFields[];
}

/** Fields of an object. */
export interface ObjectFields {
  /** `Kind namespace/name`. */
  readonly object: string;
  /** Paths such as `.data.color`. */
  readonly fields: readonly string[];
}

/**
 * Compares the guards in the cluster with what the stacks declare now; who deploys is not compared. Changes nothing.
 *
 * @throws FieldwiseError `stack-unknown`, `kind-unknown`; ApiError if the guards may not be listed.
 */
export async function checkGuards(
  assembly: Assembly,
  cluster: ClusterClient,
  options: Pick<GuardOptions, 'stacks'>,
): Promise<readonly CheckedGuard[]> {
  const stacks = selectStacks(assembly, options.stacks);
  const live = await listGuards(cluster);
  const guarded = stacks.filter(({ manager }) => live.some((guard) => guard.manager === manager));
  const none = (stack: string): CheckedGuard => ({ stack, state: 'none', uncovered: [], left: [] });
  if (guarded.length === 0) return stacks.map(({ name }) => none(name));
  const { steps } = await guardsOf(assembly, cluster, { ...options, deployers: nobody, deny: false });
  return stacks.map((stack) => {
    if (!guarded.includes(stack)) return none(stack.name);
    const declared = new Map(
      steps
        .filter(({ step }) => step.stack === stack)
        .map(({ step: { intent }, fields }) => [keyOf(intent), { identity: intent, fields: fields.map(({ text }) => text) }] as const),
    );
    const covered = coverageOf(live.filter(({ manager }) => manager === stack.manager));
    const uncovered = missing(declared, covered);
    const left = missing(covered, declared);
    return { stack: stack.name, state: uncovered.length + left.length === 0 ? 'current' : 'stale', uncovered, left };
  });
}

const nobody = { users: [], groups: [], texts: [] };

/** Guarded or declared fields, by object. */
type FieldsByObject = ReadonlyMap<string, { readonly identity: ObjectIdentity; readonly fields: readonly string[] }>;

function coverageOf(guards: readonly LiveGuard[]): FieldsByObject {
  const found = new Map<string, { readonly identity: ObjectIdentity; readonly fields: string[] }>();
  for (const { group, kind, namespace, objects } of guards) {
    for (const { names, fields } of objects) {
      for (const name of names) {
        const identity = { apiVersion: group === '' ? 'v1' : `${group}/`, kind, name, ...(namespace === undefined ? {} : { namespace }) };
        const key = keyOf(identity);
        found.set(key, { identity, fields: [...new Set([...(found.get(key)?.fields ?? []), ...fields])] });
      }
    }
  }
  return found;
}

function missing(these: FieldsByObject, inThose: FieldsByObject): readonly ObjectFields[] {
  return [...these].flatMap(([key, { identity, fields }]) => {
    const others = new Set(inThose.get(key)?.fields);
    const lost = fields.filter((field) => !others.has(field));
    return lost.length === 0 ? [] : [{ object: objectText(identity), fields: lost }];
  });
}

/** A guard names the group of a kind, not its version. */
function keyOf({ apiVersion, kind, namespace = '', name }: ObjectIdentity): string {
  return JSON.stringify([groupOf(apiVersion), kind, namespace, name]);
}

/** Returns what there is to say of a guard, a sentence without a full stop each. */
export function guardProblems({ stack, state, uncovered, left }: CheckedGuard): readonly string[] {
  if (state === 'none') return [`stack ${stack} has no guard in the cluster`];
  return [
    ...uncovered.map(({ object, fields }) => `the guard of stack ${stack} does not cover ${fields.join(', ')} of ${object}`),
    ...left.map(
      ({ object, fields }) => `the guard of stack ${stack} still covers ${fields.join(', ')} of ${object}, which it does not declare`,
    ),
  ];
}
