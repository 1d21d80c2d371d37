import { groupOf } from '../../assembly/identity.js';
import { isJsonObject, isList, type Json } from '../../util/json.js';
import type { Outcome } from '../../util/outcome.js';
import type { PlannedField, PlannedObject } from './plan-types.js';

/**
 * Changes of fields that take nothing from anybody and that a reviewer wants to see nevertheless, with their meanings. The effect of a rule, a selector
 * or a privilege is not judged.
 */
export const sensitiveMeanings = {
  'scaled-to-zero': 'scales to 0 replicas',
  'selector-changed': 'changes which pods a Service selects',
  'rights-changed': 'changes rights, or who may refuse requests',
  'privileged-pod': 'gives pods privileges of the node',
} as const;

export type SensitiveChange = keyof typeof sensitiveMeanings;

const setting: ReadonlySet<PlannedField['change']> = new Set(['set', 'change', 'force']);
const removing: ReadonlySet<PlannedField['change']> = new Set(['removed', 'item-removed', 'defaulted']);
const groupsOfRights: ReadonlySet<string> = new Set(['rbac.authorization.k8s.io', 'admissionregistration.k8s.io']);

type SensitiveObject = Pick<PlannedObject, 'apiVersion' | 'kind' | 'action' | 'fields'>;

/** Returns true for a field by which an object counts as changed in that way. A deletion counts as a deletion alone. */
const decides: Readonly<Record<SensitiveChange, (object: SensitiveObject, field: PlannedField) => boolean>> = {
  'scaled-to-zero': ({ action }, { field, change, oldValue, newValue }) =>
    action !== 'create' && setting.has(change) && field === '.spec.replicas' && newValue === 0 && oldValue !== 0,
  'selector-changed': ({ apiVersion, kind, action }, { field, change }) =>
    action !== 'create' &&
    kind === 'Service' &&
    apiVersion === 'v1' &&
    /^\.spec\.selector(?![^.[])/.test(field) &&
    (setting.has(change) || removing.has(change)),
  'rights-changed': ({ apiVersion }, { field, change }) =>
    setting.has(change) && groupsOfRights.has(groupOf(apiVersion)) && !field.startsWith('.metadata.'),
  'privileged-pod': (_, { field, change, newValue }) => setting.has(change) && grants(field.split('.').at(-1) ?? '', newValue),
};

const kinds = Object.keys(sensitiveMeanings) as SensitiveChange[];

/** Returns the kinds of sensitive changes of a planned object. */
export function sensitiveChanges(object: SensitiveObject): readonly SensitiveChange[] {
  return kinds.filter((name) => object.fields.some((field) => decides[name](object, field)));
}

/** Returns true for a field that makes a change of a planned object sensitive. */
export function isSensitiveField(object: SensitiveObject, field: PlannedField): boolean {
  return kinds.some((name) => decides[name](object, field));
}

/** Returns what is lost with the deletion of an object beside it. Source: Kubernetes documentation, "Persistent Volumes", "Reclaiming". */
function lostWith({ apiVersion, kind }: Pick<SensitiveObject, 'apiVersion' | 'kind'>): string | undefined {
  const group = groupOf(apiVersion);
  if (group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition') return 'deletes all objects of its kind';
  if (group !== '') return undefined;
  if (kind === 'Namespace') return 'deletes everything in it';
  return kind === 'PersistentVolumeClaim'
    ? 'deletes its volume with the data, unless the reclaim policy of the volume is Retain'
    : undefined;
}

function rightsText({ apiVersion }: Pick<SensitiveObject, 'apiVersion'>): string {
  return groupOf(apiVersion) === 'rbac.authorization.k8s.io' ? 'changes rights' : 'changes who may refuse or rewrite requests';
}

const deletions: ReadonlySet<string> = new Set(['delete', 'recreate', 'deleted', 'recreated'] satisfies (
  | PlannedObject['action']
  | Outcome
)[]);

/**
 * Returns what a reviewer wants to see of an object beside its fields: the meanings of its sensitive changes, and what is lost with its deletion.
 *
 * @param done the action of a plan, or the result of a deploy.
 */
export function seenTexts(
  object: Pick<SensitiveObject, 'apiVersion' | 'kind'>,
  done: PlannedObject['action'] | Outcome,
  sensitive: readonly SensitiveChange[] = [],
): readonly string[] {
  const lost = deletions.has(done) ? lostWith(object) : undefined;
  const meaning = (name: SensitiveChange) => (name === 'rights-changed' ? rightsText(object) : sensitiveMeanings[name]);
  return [...sensitive.map(meaning), ...(lost === undefined ? [] : [lost])];
}

/** Returns the same of a planned object. */
export function plannedSeenTexts(planned: PlannedObject): readonly string[] {
  return seenTexts(planned, planned.action, sensitiveChanges(planned));
}

const privileges: ReadonlySet<string> = new Set(['privileged', 'allowPrivilegeEscalation', 'hostNetwork', 'hostPID', 'hostIPC']);

/** Returns true if a value, or one in it, gives a privilege of the node to pods. Source: Kubernetes documentation, "Pod Security Standards", baseline. */
function grants(name: string, value: Json | undefined): boolean {
  if (privileges.has(name)) return value === true;
  if (name === 'hostPath') return value !== undefined && value !== null;
  if (isList(value)) return value.some((item) => grants('', item));
  return isJsonObject(value) && Object.entries(value).some(([member, inside]) => grants(member, inside));
}
