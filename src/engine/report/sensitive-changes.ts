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

/** Returns the kinds of sensitive changes of a planned object. A deletion counts as a deletion alone. */
export function sensitiveChanges({
  apiVersion,
  kind,
  action,
  fields,
}: Pick<PlannedObject, 'apiVersion' | 'kind' | 'action' | 'fields'>): readonly SensitiveChange[] {
  const isNew = action === 'create';
  const set = fields.filter(({ change }) => setting.has(change));
  const inSpec =
    (path: string) =>
    ({ field }: PlannedField) =>
      field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`);
  const isChanged = ({ change }: PlannedField) => setting.has(change) || removing.has(change);
  const found: Readonly<Record<SensitiveChange, boolean>> = {
    'scaled-to-zero': !isNew && set.some(({ field, oldValue, newValue }) => field === '.spec.replicas' && newValue === 0 && oldValue !== 0),
    'selector-changed':
      !isNew && kind === 'Service' && apiVersion === 'v1' && fields.some((field) => inSpec('.spec.selector')(field) && isChanged(field)),
    'rights-changed': groupsOfRights.has(groupOf(apiVersion)) && set.some(({ field }) => !field.startsWith('.metadata.')),
    'privileged-pod': set.some(({ field, newValue }) => grants(field.split('.').at(-1) ?? '', newValue)),
  };
  return (Object.keys(found) as SensitiveChange[]).filter((name) => found[name]);
}

const privileges: ReadonlySet<string> = new Set(['privileged', 'allowPrivilegeEscalation', 'hostNetwork', 'hostPID', 'hostIPC']);

/** Returns true if a value, or one in it, gives a privilege of the node to pods. Source: Kubernetes documentation, "Pod Security Standards", baseline. */
function grants(name: string, value: Json | undefined): boolean {
  if (privileges.has(name)) return value === true;
  if (name === 'hostPath') return value !== undefined && value !== null;
  if (isList(value)) return value.some((item) => grants('', item));
  return isJsonObject(value) && Object.entries(value).some(([member, inside]) => grants(member, inside));
}
