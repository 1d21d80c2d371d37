import { isTerminating } from '../../../kubernetes/object.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { duplicate, type FieldError, forbiddenField, invalidValue, required } from '../../api/field-error.js';
import type { UpdateContext } from '../../registry/resource.js';
import { listOf, structOf } from '../convert/json-access.js';
import { autoscalerErrors, autoscalerStatusErrors } from './autoscaler-rules.js';
import { crdErrors } from './crd-rules.js';
import { handlerErrors } from './handler-rules.js';
import { ingressErrors, networkPolicyErrors } from './network-rules.js';
import { bindingErrors, roleErrors } from './role-rules.js';
import { serviceErrors } from './service-rules.js';
import { sourceErrors } from './volume-rules.js';

type KindValidator = (object: JsonObject, update: UpdateContext | undefined) => readonly FieldError[];

const configKey = /^[-._a-zA-Z0-9]+$/;
const configKeyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Validation rules by kind. Source: Kubernetes API reference, field descriptions; messages as observed. */
export const kindRules: Readonly<Record<string, KindValidator>> = {
  ConfigMap: (object, update) => [
    ...keysOf(object, ['data', 'binaryData']),
    ...sharedKeys(object),
    ...sizeErrors('[]', object, ['data', 'binaryData']),
    ...immutableErrors(object, update, ['data', 'binaryData']),
  ],
  Secret: (object, update) => [
    ...keysOf(object, ['data']),
    ...sizeErrors('data', object, ['data']),
    ...immutableErrors(object, update, ['data']),
  ],
  Deployment: workload,
  ReplicaSet: workload,
  DaemonSet: workload,
  StatefulSet: workload,
  Service: (object) => serviceErrors(structOf(object.spec)),
  ClusterRole: roleErrors,
  ClusterRoleBinding: (object, update) => bindingErrors(object, update?.live),
  CustomResourceDefinition: crdErrors,
  HorizontalPodAutoscaler: autoscalerErrors,
  Ingress: ingressErrors,
  NetworkPolicy: networkPolicyErrors,
  Role: roleErrors,
  RoleBinding: (object, update) => bindingErrors(object, update?.live),
  Pod: (object) => podErrors((object.spec ?? {}) as JsonObject, 'spec'),
};

/** Kinds whose own rules report required members, so that the schema rules do not. */
export const requiredByKind: readonly string[] = ['Ingress'];

/** Validation rules of the status subresource, by kind. */
export const statusRules: Readonly<Record<string, KindValidator>> = {
  HorizontalPodAutoscaler: autoscalerStatusErrors,
  Namespace: phaseErrors,
};

/** Source: Kubernetes documentation "ConfigMaps", "Secrets". */
const maxDataBytes = 1024 * 1024;

function sizeErrors(field: string, object: JsonObject, members: readonly string[]): readonly FieldError[] {
  let size = 0;
  for (const member of members) {
    const isText = member === 'data' && field === '[]';
    for (const value of Object.values(structOf(object[member])))
      size += typeof value !== 'string' ? 0 : isText ? Buffer.byteLength(value) : Buffer.byteLength(value, 'base64');
  }
  return size > maxDataBytes ? [{ type: 'tooLong', field, detail: `may not be more than ${maxDataBytes} bytes` }] : [];
}

function phaseErrors(object: JsonObject): readonly FieldError[] {
  const { phase } = structOf(object.status);
  const terminating = isTerminating(object);
  if (phase === (terminating ? 'Terminating' : 'Active')) return [];
  const detail = terminating
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalidValue('status.Phase', phase, detail)];
}

function keysOf(object: JsonObject, members: readonly string[]): FieldError[] {
  return members.flatMap((member) => {
    const data = isJsonObject(object[member]) ? object[member] : {};
    return Object.keys(data)
      .filter((key) => !configKey.test(key))
      .map((key) => invalidValue(`${member}[${key}]`, key, configKeyText));
  });
}

function sharedKeys(object: JsonObject): FieldError[] {
  const binary = isJsonObject(object.binaryData) ? object.binaryData : {};
  const shared = Object.keys(isJsonObject(object.data) ? object.data : {}).filter((key) => Object.hasOwn(binary, key));
  return shared.map((key) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));
}

function immutableErrors(object: JsonObject, update: UpdateContext | undefined, members: readonly string[]): FieldError[] {
  if (update?.live.immutable !== true) return [];
  const { live, explicitEmpty } = update;
  const changed = members.filter((member) => explicitEmpty.includes(member) || !jsonEqual(object[member] ?? null, live[member] ?? null));
  const all = object.immutable === true ? changed : ['immutable', ...changed];
  return all.map((member) => forbiddenField(member, 'field is immutable when `immutable` is set'));
}

function workload(object: JsonObject): readonly FieldError[] {
  const spec = (object.spec ?? {}) as JsonObject;
  const errors: FieldError[] = [];
  const { replicas, selector, template } = spec;
  if (typeof replicas === 'number' && replicas < 0)
    errors.push(invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'));
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  if (typeof deadline === 'number' && deadline <= Number(minReadySeconds))
    errors.push(invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
  const labels = isJsonObject(template) && isJsonObject(template.metadata) ? template.metadata.labels : undefined;
  if (!isJsonObject(selector)) {
    errors.push(required('spec.selector'));
    // An absent selector matches no labels, so the server reports both errors.
    errors.push(invalidValue('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'));
  } else {
    const wanted = isJsonObject(selector.matchLabels) ? selector.matchLabels : {};
    if (object.kind === 'Deployment' && Object.keys(selector).length === 0)
      errors.push(invalidValue('spec.selector', selector, 'empty selector is invalid for deployment'));
    const missing = Object.entries(wanted).some(([name, value]) => !isJsonObject(labels) || labels[name] !== value);
    if (missing) errors.push(invalidValue('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'));
  }
  const strategy = isJsonObject(spec.strategy) ? spec.strategy : {};
  if (strategy.type === 'Recreate' && strategy.rollingUpdate !== undefined) {
    errors.push(forbiddenField('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'"));
  }
  const update = object.kind === 'StatefulSet' && isJsonObject(spec.updateStrategy) ? spec.updateStrategy : {};
  if (update.type === 'OnDelete' && isJsonObject(update.rollingUpdate)) {
    const { partition = 0, maxUnavailable = null } = update.rollingUpdate;
    const shown = { Partition: partition, MaxUnavailable: maxUnavailable };
    errors.push(invalidValue('spec.updateStrategy.rollingUpdate', shown, "only allowed for updateStrategy 'RollingUpdate'"));
  }
  const pod = isJsonObject(template) && isJsonObject(template.spec) ? template.spec : {};
  errors.push(...podErrors(pod, 'spec.template.spec'));
  return errors;
}

function podErrors(pod: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const volumes = listOf(pod.volumes);
  for (const [index, { name }] of volumes.entries())
    if (volumes.slice(0, index).some((other) => other.name === name)) errors.push(duplicate(`${path}.volumes[${index}].name`, name));
  for (const [index, volume] of volumes.entries()) errors.push(...sourceErrors(volume, `${path}.volumes[${index}]`));
  for (const [index, { key, operator = '' }] of listOf(pod.tolerations).entries()) {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    if (!key && operator !== 'Exists') errors.push(invalidValue(`${path}.tolerations[${index}].operator`, operator, detail));
  }
  for (const list of ['initContainers', 'containers']) {
    const names = new Set<Json>();
    for (const [index, container] of ((Array.isArray(pod[list]) ? pod[list] : []) as JsonObject[]).entries()) {
      const at = `${path}.${list}[${index}]`;
      if (!container.name) errors.push(required(`${at}.name`));
      else if (names.has(container.name as Json)) errors.push(duplicate(`${at}.name`, container.name as Json));
      names.add((container.name ?? '') as Json);
      if (!container.image) errors.push(required(`${at}.image`));
      errors.push(...handlerErrors(container, at));
      const ports = listOf(container.ports);
      for (const [number, port] of ports.entries()) {
        const named = port.name !== undefined && ports.slice(0, number).some((other) => other.name === port.name);
        if (named) errors.push(duplicate(`${at}.ports[${number}].name`, port.name));
        if (!port.containerPort) errors.push(required(`${at}.ports[${number}].containerPort`));
      }
      for (const [number, variable] of listOf(container.env).entries()) {
        const sources = isJsonObject(variable.valueFrom) ? Object.keys(variable.valueFrom).length : 0;
        if (sources === 0) continue;
        const field = `${at}.env[${number}].valueFrom`;
        if (variable.value) errors.push(invalidValue(field, '', 'may not be specified when `value` is not empty'));
        if (sources > 1) errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'));
      }
    }
  }
  return errors;
}
