import { objectText } from '../../assembly/identity.js';
import type { ConflictPolicy, ConflictPolicyByManager } from '../../assembly/policy-vocabulary.js';
import type { IntentManifest, PartialObject } from '../../assembly/types.js';
import { type FieldPath, pathCovers, resolvePath } from '../../fields/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';

/** A declared field that an intent leaves to others. */
export interface YieldedField {
  /** As in the policy, such as `.spec.replicas`. */
  readonly text: string;
  readonly path: FieldPath;
}

/** Everything that an intent leaves to others. */
export interface Yields {
  readonly fields: readonly YieldedField[];
  /** The managers to which it leaves any field. */
  readonly managers: readonly string[];
  /** Fields that a tool leaves to others, too, although the policy forces them or fails. */
  readonly alsoLeft: readonly string[];
}

type Conflicts = ConflictPolicy | ConflictPolicyByManager;

/**
 * Returns the declared fields that an intent leaves to others. A yield to the tool's own manager does not count, since the tool is that manager.
 *
 * @throws FieldwiseError `gitops-refused` if it yields all its fields to anybody: a rule for all of them would keep each new value out.
 */
export function yieldsOf(intent: IntentManifest, object: PartialObject, ownManager: string): Yields {
  const { conflicts, fields } = intent.policy;
  if (policyOfOthers(conflicts) === 'yield') {
    const next =
      "Name the fields that others set, such as `fields: { 'spec.replicas': { conflicts: 'yield' } }`, or deploy it with Fieldwise.";
    throw refused(intent, 'yields every field, so no later value of the program would reach it', next);
  }
  const yielded: YieldedField[] = [];
  const others: string[] = [];
  for (const [text, { conflicts: policy }] of Object.entries(fields)) {
    const path = policy === undefined ? undefined : declaredPath(text, object);
    if (policy === undefined || path === undefined) continue;
    if (policyOfOthers(policy) === 'yield' || namedManagers(policy, ownManager).length > 0) yielded.push({ text, path });
    else others.push(text);
  }
  const managers = namedManagers(conflicts, ownManager);
  const alsoLeft = others.filter((text) => managers.length > 0 || yielded.some((above) => pathCovers(above.text, text)));
  return { fields: yielded, managers, alsoLeft };
}

/** Returns true for an object that outlives its document: one that is retained, and one of which the stack owns only some fields. */
export function isKept({ lifecycle, policy }: IntentManifest): boolean {
  return lifecycle === 'share' || policy.retain === true;
}

/** Returns true for an object whose deletion deletes what others have in it. */
export function holdsOthers({ kind }: IntentManifest): boolean {
  return kind === 'Namespace' || kind === 'CustomResourceDefinition';
}

/** Returns true for a path through a list item. */
export function hasItems(path: FieldPath): boolean {
  return path.some(({ kind }) => kind !== 'field');
}

/** Returns an error for an intent that a tool cannot carry out as it is declared. */
export function refused(intent: IntentManifest, why: string, next: string): FieldwiseError {
  return new FieldwiseError('gitops-refused', 'usage', `${objectText(intent)} ${why}`, {
    location: { object: objectText(intent), ...intent.declaredBy[0] },
    next,
  });
}

function policyOfOthers(policy: Conflicts): ConflictPolicy {
  return typeof policy === 'string' ? policy : policy.otherwise;
}

function namedManagers(policy: Conflicts, ownManager: string): readonly string[] {
  return typeof policy === 'string' ? [] : (policy.yield ?? []).filter((name) => name !== ownManager);
}

/** Returns the path of a policy in an object that declares the field. A person may leave out the quotes of a key. */
function declaredPath(text: string, object: JsonObject): FieldPath | undefined {
  return (
    resolvePath(text, object) ??
    resolvePath(quotedKeys(text, /^(?:true|false|-?\d+(?:\.\d+)?)$/), object) ??
    resolvePath(quotedKeys(text), object)
  );
}

/** Puts the bare values of keys in quotes, except those that match an expression: `[name=api]` becomes `[name="api"]`. */
function quotedKeys(text: string, except?: RegExp): string {
  return text.replaceAll(
    /\[([^[\]]*)\]/g,
    (_, keys: string) =>
      `[${keys
        .split(',')
        .map((key) => quotedKey(key, except))
        .join()}]`,
  );
}

function quotedKey(key: string, except: RegExp | undefined): string {
  const at = key.indexOf('=') + 1;
  const value = key.slice(at);
  return at === 0 || key.includes('"') || value === '' || except?.test(value) ? key : key.slice(0, at) + JSON.stringify(value);
}
