import { groupOf } from '../../assembly/identity.js';
import { isJsonObject, isList, type Json } from '../../util/json.js';
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

const privileges: ReadonlySet<string> = new Set(['privileged', 'allowPrivilegeEscalation', 'hostNetwork', 'hostPID', 'hostIPC']);

/** Returns true if a value, or one in it, gives a privilege of the node to pods. Source: Kubernetes documentation, "Pod Security Standards", baseline. */
function grants(name: string, value: Json | undefined): boolean {
  if (privileges.has(name)) return value === true;
  if (name === 'hostPath') return value !== undefined && value !== null;
  if (isList(value)) return value.some((item) => grants('', item));
  return isJsonObject(value) && Object.entries(value).some(([member, inside]) => grants(member, inside));
}
