import { isJsonObject, type JsonObject } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { labelErrors, nonNegativeErrors, pathNameErrors, subdomainErrors } from '../../api/name-rules.js';
import { mapErrors } from '../../registry/metadata-rules.js';
import type { UpdateContext } from '../../registry/resource.js';
import { billionths } from '../convert/compare-quantities.js';
import { tolerationErrors } from './scheduling-rules.js';

const scopes = ['Cluster', 'Namespace'];
const maxControllerBytes = 250;

/** Validates an IngressClass. Source: Kubernetes documentation "Ingress", Ingress class; messages as observed. */
export function ingressClassErrors(object: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  const { controller = '', parameters } = structOf(object.spec);
  const isChanged = update !== undefined && structOf(update.live.spec).controller !== controller;
  return [
    ...controllerErrors(String(controller)),
    ...(isJsonObject(parameters) ? parameterErrors(parameters, 'spec.parameters') : []),
    ...(isChanged ? [invalidValue('spec.controller', controller, 'field is immutable')] : []),
  ];
}

function controllerErrors(controller: string): readonly FieldError[] {
  const field = 'spec.controller';
  const slash = controller.indexOf('/');
  const isLong = Buffer.byteLength(controller) > maxControllerBytes;
  const long = isLong ? [{ type: 'tooLong', field, detail: `may not be more than ${maxControllerBytes} bytes` } as const] : [];
  if (controller === '') return [required(field)];
  if (slash <= 0 || slash === controller.length - 1)
    return [...long, invalidValue(field, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [...long, ...subdomainErrors(field, controller.slice(0, slash))];
}

function parameterErrors({ apiGroup, kind, name, scope = 'Cluster', namespace }: JsonObject, at: string): readonly FieldError[] {
  const segment = (field: string, text: unknown) => (text ? pathNameErrors(field, String(text)) : [required(field)]);
  return [
    ...(apiGroup === undefined ? [] : subdomainErrors(`${at}.apiGroup`, String(apiGroup))),
    ...segment(`${at}.kind`, kind),
    ...segment(`${at}.name`, name),
    ...(scopes.includes(String(scope)) ? [] : [unsupported(`${at}.scope`, scope, scopes)]),
    ...(scope === 'Namespace' && namespace === undefined ? [required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'")] : []),
    ...(scope === 'Namespace' && namespace !== undefined ? labelErrors(`${at}.namespace`, String(namespace)) : []),
    ...(scope === 'Cluster' && namespace !== undefined
      ? [forbiddenField(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'")]
      : []),
  ];
}

const preemptionPolicies = ['PreemptLowerPriority', 'Never'];
const maxPriority = 1_000_000_000;

/** Validates a PriorityClass. Source: Kubernetes documentation "Pod Priority and Preemption"; messages as observed. */
export function priorityClassErrors(
  { metadata, value, preemptionPolicy }: JsonObject,
  update: UpdateContext | undefined,
): readonly FieldError[] {
  const name = String(structOf(metadata).name ?? '');
  const isSystem = name.startsWith('system-');
  const isKnown = name === 'system-node-critical' || name === 'system-cluster-critical';
  const reserved = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
  const isTooHigh = !isSystem && Number(value) > maxPriority;
  return [
    ...(update === undefined && isSystem && !isKnown ? [forbiddenField('metadata.name', reserved)] : []),
    ...(isTooHigh ? [forbiddenField('value', `maximum allowed value of a user defined priority is ${maxPriority}`)] : []),
    ...(preemptionPolicy === undefined || preemptionPolicies.includes(String(preemptionPolicy))
      ? []
      : [unsupported('preemptionPolicy', preemptionPolicy, preemptionPolicies)]),
  ];
}

/** Validates a Lease. Source: Kubernetes documentation "Leases"; messages as observed. */
export function leaseErrors(object: JsonObject): readonly FieldError[] {
  const { leaseDurationSeconds: duration, leaseTransitions } = structOf(object.spec);
  return [
    ...(typeof duration === 'number' && duration <= 0
      ? [invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0')]
      : []),
    ...nonNegativeErrors('spec.leaseTransitions', leaseTransitions),
  ];
}

/** Validates a RuntimeClass. Source: Kubernetes documentation "Runtime Class"; messages as observed. */
export function runtimeClassErrors(
  { handler, overhead, scheduling }: JsonObject,
  update: UpdateContext | undefined,
): readonly FieldError[] {
  const { nodeSelector, tolerations } = structOf(scheduling);
  const amounts = structOf(structOf(overhead).podFixed);
  const isChanged = update !== undefined && update.live.handler !== handler;
  return [
    ...(handler ? labelErrors('handler', String(handler)) : []),
    ...Object.entries(amounts).flatMap(([name, amount]) => {
      const negative = billionths(amount) < 0n;
      return negative ? [invalidValue(`overhead.limits[${name}]`, String(amount), 'must be greater than or equal to 0')] : [];
    }),
    ...mapErrors('scheduling.nodeSelector', nodeSelector, true),
    ...listOf(tolerations).flatMap((toleration, index) => tolerationErrors(toleration, `scheduling.tolerations[${index}]`)),
    ...(isChanged ? [invalidValue('handler', handler, 'field is immutable')] : []),
  ];
}

/** Validates a VolumeAttributesClass. Source: Kubernetes documentation "Volume Attributes Classes"; messages as observed. */
export function attributesClassErrors({ driverName, parameters }: JsonObject): readonly FieldError[] {
  const names = Object.keys(structOf(parameters));
  const driver = String(driverName ?? '').toLowerCase();
  return [
    ...(driver === '' ? [] : qualifiedNameErrors(driver).map((text) => invalidValue('driverName', driver, text))),
    ...(names.length === 0 ? [required('parameters', 'must contain at least one key/value pair')] : []),
    ...(names.includes('') ? [invalidValue('parameters', '', 'field can not be empty.')] : []),
  ];
}
