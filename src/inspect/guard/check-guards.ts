import { groupOf, type ObjectIdentity, objectText } from '../../assembly/identity.js';
import type { Assembly, StackManifest } from '../../assembly/types.js';
import { admissionGroup } from '../../engine/apply/skip/observers/admission-kinds.js';
import { guardLabel, guardOf, type LiveGuard } from '../../engine/guards/guard-manifest.js';
import { labelOf } from '../../engine/inventory/stack-identity.js';
import { selectStacks } from '../../engine/prepare/select-stacks.js';
import { metadataOf } from '../../fields/object.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import type { JsonObject } from '../../util/json.js';
import { alteredObjects, type GuardKind, type GuardObjects, missingBindings, type ObjectFields } from './altered-guards.js';
import { type GuardOptions, guardsOf } from './guards-of.js';
import { type Subjects, subjectsOf } from './subjects.js';

/** The guard of a stack in the cluster, compared with what the program declares. */
export interface CheckedGuard {
  readonly stack: string;
  /** `none`: the cluster has no guard of the stack. */
  readonly state: 'current' | 'stale' | 'none';
  /** Declared fields that others may change without a word: the guard is older than they are. */
  readonly uncovered: readonly ObjectFields[];
  /** Guarded fields that the stack no longer declares. */
  readonly left: readonly ObjectFields[];
  /**
   * Policies and bindings that decide otherwise than those which `fieldwise guard` prints, with the fields that differ; without fields: it is
   * missing. A policy is compared where the guard covers exactly what the stack declares.
   */
  readonly altered: readonly ObjectFields[];
  /** Whoever may change the fields now, and whether it was printed to deny; absent without a guard, or where its binding does not say so. */
  readonly printedFor?: { readonly subjects: readonly string[]; readonly deny?: true };
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
  const [policies, bindings] = await Promise.all([
    listLabeled(cluster, 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies'),
    listLabeled(cluster, 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'),
  ]);
  const objectsOf = ({ manager }: StackManifest): GuardObjects => {
    const isOfStack = (object: JsonObject) => metadataOf(object).labels?.[guardLabel] === labelOf(manager);
    return { ValidatingAdmissionPolicy: policies.filter(isOfStack), ValidatingAdmissionPolicyBinding: bindings.filter(isOfStack) };
  };
  const guarded = stacks.filter((stack) => Object.values(objectsOf(stack)).some(({ length }) => length > 0));
  const none = (stack: string): CheckedGuard => ({ stack, state: 'none', uncovered: [], left: [], altered: [] });
  if (guarded.length === 0) return stacks.map(({ name }) => none(name));
  const { steps } = await guardsOf(assembly, cluster, { ...options, deployers: nobody, deny: false });
  return Promise.all(
    stacks.map(async (stack): Promise<CheckedGuard> => {
      if (!guarded.includes(stack)) return none(stack.name);
      const declared = new Map(
        steps
          .filter(({ step }) => step.stack === stack)
          .map(
            ({ step: { intent }, fields }) => [identityKey(intent), { identity: intent, fields: fields.map(({ text }) => text) }] as const,
          ),
      );
      const objects = objectsOf(stack);
      const guards = objects.ValidatingAdmissionPolicyBinding.flatMap((binding) => guardOf(binding) ?? []);
      const covered = coverageOf(guards);
      const uncovered = missing(declared, covered);
      const left = missing(covered, declared);
      const isCovering = uncovered.length + left.length === 0;
      const altered = isCovering
        ? await alteredObjects(objects, guards, printerFor(assembly, cluster, stack.name))
        : missingBindings(objects);
      const [first] = guards;
      const printedFor = first && { printedFor: { subjects: first.subjects, ...(first.deny ? { deny: first.deny } : {}) } };
      return {
        stack: stack.name,
        ...printedFor,
        state: isCovering && altered.length === 0 ? 'current' : 'stale',
        uncovered,
        left,
        altered,
      };
    }),
  );
}

function listLabeled(cluster: ClusterClient, kind: GuardKind, plural: string): Promise<readonly JsonObject[]> {
  return cluster.list({ apiVersion: `${admissionGroup}/v1`, kind, plural, namespaced: false }, { labelSelector: guardLabel });
}

/** Returns a function that prints the guard of a stack for the deployers of a live one, once for the same ones. */
function printerFor(assembly: Assembly, cluster: ClusterClient, stack: string): (guard: LiveGuard) => Promise<readonly JsonObject[]> {
  const printed = new Map<string, Promise<readonly JsonObject[]>>();
  return ({ subjects, deny = false }) => {
    const key = JSON.stringify([subjects, deny]);
    const known =
      printed.get(key) ??
      guardsOf(assembly, cluster, { stacks: [stack], deployers: readableSubjects(subjects), deny }).then(({ manifests }) => manifests);
    printed.set(key, known);
    return known;
  };
}

/** Returns nobody for subjects that no guard is printed with: then its policies differ. */
function readableSubjects(texts: readonly string[]): Subjects {
  try {
    return subjectsOf(texts);
  } catch {
    return nobody;
  }
}

const nobody: Subjects = { users: [], groups: [], texts: [] };

/** Guarded or declared fields, by object. */
type FieldsByObject = ReadonlyMap<string, { readonly identity: ObjectIdentity; readonly fields: readonly string[] }>;

function coverageOf(guards: readonly LiveGuard[]): FieldsByObject {
  const found = new Map<string, { readonly identity: ObjectIdentity; readonly fields: string[] }>();
  for (const { group, kind, namespace, objects } of guards) {
    for (const { names, fields } of objects) {
      for (const name of names) {
        const identity = { apiVersion: group === '' ? 'v1' : `${group}/`, kind, name, ...(namespace === undefined ? {} : { namespace }) };
        const key = identityKey(identity);
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
function identityKey({ apiVersion, kind, namespace = '', name }: ObjectIdentity): string {
  return JSON.stringify([groupOf(apiVersion), kind, namespace, name]);
}

/** Returns what there is to say of a guard, a sentence without a full stop each. */
export function guardProblems({ stack, state, uncovered, left, altered }: CheckedGuard): readonly string[] {
  if (state === 'none') return [`stack ${stack} has no guard in the cluster`];
  return [
    ...uncovered.map(({ object, fields }) => `the guard of stack ${stack} does not cover ${fields.join(', ')} of ${object}`),
    ...left.map(
      ({ object, fields }) => `the guard of stack ${stack} still covers ${fields.join(', ')} of ${object}, which it does not declare`,
    ),
    ...altered.map(({ object, fields }) =>
      fields.length === 0
        ? `the guard of stack ${stack} lacks the ${object}`
        : `the guard of stack ${stack} has been changed: ${fields.join(', ')} of ${object}`,
    ),
  ];
}
