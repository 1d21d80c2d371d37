import { type MapType, type RootType, resolve, type Schema, type TypeRef } from '../../../schema/index.js';
import { isLarge, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { type FieldError, invalidValue, required, shown, unsupported } from '../../api/field-error.js';
import { memberAt } from '../../api/json-access.js';
import type { UpdateContext } from '../../registry/resource.js';
import type { ResourceInfo } from '../../registry/resource-info.js';
import { isPointer } from '../convert/go-structs.js';
import type { CanonicalValues } from '../convert/round-trip-go-struct.js';
import { kindRules, requiredByKind, ruledKinds, statusRules } from './kind-rules.js';

export interface BuiltInRules {
  readonly root: RootType;
  readonly info: ResourceInfo;
  /** Values that were found valid before, with their type. */
  readonly valid: CanonicalValues;
  /** Version of the request, which may be one of another group. */
  readonly apiVersion: string;
}

/** Validates the content of a built-in kind by its schema (required, enum), by `ResourceInfo`, and by the rules of its kind. */
export function validateBuiltIn(
  { root, info, valid, apiVersion }: BuiltInRules,
  object: JsonObject,
  update: UpdateContext | undefined,
): readonly FieldError[] {
  if (update?.subresource === 'status') return statusRules[root.kind]?.(object, update, apiVersion) ?? [];
  const unchanged = update === undefined ? [] : immutableErrors(info, object, update.live);
  const ruled = kindRules[root.kind]?.(object, update, apiVersion) ?? [];
  // The selector of a workload is compared after all other rules.
  const isWorkload = root.apiVersion === 'apps/v1';
  const isRuled = ruledKinds.includes(root.kind);
  const errors = isWorkload || isRuled ? [...ruled, ...unchanged] : [...unchanged, ...ruled];
  if (isRuled) return errors;
  const { status: _, metadata: __, ...content } = object;
  collect({ schema: root.schema, valid, errors }, root.type, content, '');
  if (errors.length === ruled.length) return errors;
  const isOwn = requiredByKind.includes(root.kind);
  // A field that the rules of the kind report is not reported again for the schema.
  const reported = new Set(ruled.map(({ field }) => field));
  const seen = new Set(ruled.map(errorKey));
  return errors.filter((error) => {
    if (ruled.includes(error)) return true;
    const isKnown = (error.type === 'required' || error.type === 'unsupported') && reported.has(error.field);
    const isReported = isKnown || (error.type === 'required' && isOwn) || seen.has(errorKey(error));
    seen.add(errorKey(error));
    return !isReported;
  });
}

function immutableErrors({ immutable = [] }: ResourceInfo, object: JsonObject, live: JsonObject): readonly FieldError[] {
  const changed = immutable.filter((path) => !jsonEqual(memberAt(object, path) ?? null, memberAt(live, path) ?? null));
  return changed.map((path) => invalidValue(path, memberAt(object, path) ?? null, 'field is immutable'));
}

function errorKey({ type, field, detail = '' }: FieldError): string {
  return `${type} ${field} ${detail}`;
}

/** Types whose required members and choices the rules of Pods report, in the words of the server. */
const ruledTypes: ReadonlySet<string> = new Set(
  [
    ...[
      'PodSpec',
      'Container',
      'EphemeralContainer',
      'ContainerPort',
      'ContainerResizePolicy',
      'Lifecycle',
      'ResourceClaim',
      'PodOS',
      'Sysctl',
    ],
    ...[
      'EnvVar',
      'EnvVarSource',
      'ObjectFieldSelector',
      'ResourceFieldSelector',
      'ConfigMapKeySelector',
      'SecretKeySelector',
      'EnvFromSource',
    ],
    ...['VolumeMount', 'VolumeDevice', 'Volume', 'ConfigMapVolumeSource', 'SecretVolumeSource', 'KeyToPath', 'HostPathVolumeSource'],
    ...[
      'NFSVolumeSource',
      'PersistentVolumeClaimVolumeSource',
      'CSIVolumeSource',
      'ProjectedVolumeSource',
      'ServiceAccountTokenProjection',
    ],
    ...['DownwardAPIVolumeFile', 'EphemeralVolumeSource', 'HTTPGetAction', 'HTTPHeader', 'TCPSocketAction', 'GRPCAction', 'SleepAction'],
    ...['Toleration', 'NodeSelector', 'NodeSelectorRequirement', 'PreferredSchedulingTerm', 'WeightedPodAffinityTerm', 'PodAffinityTerm'],
    ...['TopologySpreadConstraint', 'HostAlias', 'PodReadinessGate', 'PodSchedulingGate', 'PodResourceClaim', 'PodDNSConfigOption'],
    ...['Taint', 'PersistentVolumeSpec', 'PersistentVolumeClaimSpec', 'TypedLocalObjectReference', 'TypedObjectReference'],
  ]
    .map((name) => `core/v1.${name}`)
    .concat(
      [
        ...['JobSpec', 'PodFailurePolicy', 'PodFailurePolicyRule', 'PodFailurePolicyOnExitCodesRequirement'],
        ...['PodFailurePolicyOnPodConditionsPattern', 'SuccessPolicy'],
      ].map((name) => `batch/v1.${name}`),
      [
        ...['DeploymentSpec', 'DeploymentStrategy', 'DaemonSetSpec', 'DaemonSetUpdateStrategy', 'ReplicaSetSpec', 'StatefulSetSpec'],
        ...['StatefulSetUpdateStrategy', 'StatefulSetPersistentVolumeClaimRetentionPolicy'],
      ].map((name) => `apps/v1.${name}`),
      'apiextensions/v1.ValidationRule',
    ),
);

/** Required lists that a server takes empty: a kubelet writes a CSINode before a driver registers. */
const mayBeEmpty: ReadonlySet<string> = new Set(['storage/v1.CSINodeSpec.drivers']);

interface ValidationContext {
  readonly schema: Schema;
  readonly valid: CanonicalValues;
  readonly errors: FieldError[];
}

function collect(context: ValidationContext, ref: TypeRef, value: Json, path: string): void {
  if (typeof value !== 'object' || value === null) {
    collectScalar(context, ref, value, path);
    return;
  }
  if (context.valid.get(value) === ref || ('name' in ref && ref.name.endsWith('.ObjectMeta'))) return;
  const before = context.errors.length;
  const { list, map } = resolve(context.schema, ref);
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    if (list !== undefined) for (const [index, item] of items.entries()) collect(context, list.element, item, `${path}[${index}]`);
  } else if (map !== undefined) collectMembers(context, map, value as JsonObject, path, 'name' in ref ? ref.name : '');
  if (context.errors.length === before && path !== '' && isLarge(value)) context.valid.set(value, ref);
}

function collectMembers(context: ValidationContext, map: MapType, value: JsonObject, path: string, type: string): void {
  const isRuled = ruledTypes.has(type);
  for (const name of isRuled ? [] : map.required) {
    const isKept = path === '' && (name === 'status' || name === 'metadata');
    if (!isKept && !mayBeEmpty.has(`${type}.${name}`) && isMissing(value[name]) && !(value[name] === '' && isPointer(name, type)))
      context.errors.push(required(path === '' ? name : `${path}.${name}`));
  }
  const isOpen = map.fields.size === 0;
  for (const name of Object.keys(value)) {
    const member = value[name];
    const ref = isOpen ? map.element : map.fields.get(name)?.type;
    if (ref === undefined || member === undefined || member === null || (isRuled && !hasMembers(member))) continue;
    // Most members are scalars without choices, which need no path.
    if (typeof member !== 'object' && resolve(context.schema, ref).scalar?.enum === undefined) continue;
    if (member === '' && !isOpen && !isPointer(name, type)) continue; // counts as absent
    collect(context, ref, member, isOpen ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`);
  }
}

function hasMembers(value: Json): boolean {
  return Array.isArray(value) ? typeof value[0] === 'object' : typeof value === 'object';
}

function collectScalar(context: ValidationContext, ref: TypeRef, value: Json, path: string): void {
  const choices = resolve(context.schema, ref).scalar?.enum;
  if (choices === undefined || choices.some((choice) => jsonEqual(choice, value))) return;
  const texts = choices.map((choice) => (typeof choice === 'string' ? choice : shown(choice)));
  context.errors.push(unsupported(path, value, texts));
}

function isMissing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
