import { parseExactJson, stringifyExactJson } from '../../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { onceFor } from '../../../util/once-for.js';
import { remembered } from '../../../util/remembered.js';
import { duplicate, type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, repeatsOf, structOf } from '../../api/json-access.js';
import { labelErrors, portNameErrors, portNumberErrors } from '../../api/name-rules.js';
import { environmentErrors } from './env-rules.js';
import { handlerErrors } from './handler-rules.js';
import { mountErrors } from './mount-rules.js';
import { resourceErrors } from './resource-rules.js';
import { containerSecurityErrors } from './security-context-rules.js';

/** Validates all containers of a Pod. Source: Kubernetes API reference, Container; messages as observed. */
export function containersErrors(pod: JsonObject, path: string): readonly FieldError[] {
  const main = listOf(pod.containers);
  const init = listOf(pod.initContainers);
  const names = [...main, ...init].map(({ name }): Json => name ?? '');
  const repeats = repeatsOf(names);
  const context = contextOf(pod);
  return [
    ...(main.length === 0 ? [required(`${path}.containers`)] : []),
    ...main.flatMap((container, index) =>
      containerErrors(container, pod, context, `${path}.containers[${index}]`, repeats[index] === true),
    ),
    ...hostPortErrors(main, `${path}.containers`),
    ...init.flatMap((container, index) =>
      initErrors(container, pod, `${path}.initContainers[${index}]`, repeats[main.length + index] === true),
    ),
    ...ephemeralErrors(pod, path, names),
  ];
}

function containerErrors(container: JsonObject, pod: JsonObject, context: string, at: string, isRepeated: boolean): readonly FieldError[] {
  const repeated = isRepeated ? [duplicate(`${at}.name`, container.name ?? '')] : [];
  const mounts = mountErrors(container, pod, at);
  if (mounts.length === 0 && isValidIn(context)(container)) return repeated;
  return [...commonErrors(container, pod, at, mounts), ...repeated, ...mainHandlerErrors(container, pod, at)];
}

/** Once for each context and container: whether the container is valid, its mounts aside. The rules see no more of the Pod than the context. */
const isValidIn = remembered(
  (context) => {
    const pod = parseExactJson(context) as JsonObject;
    return onceFor(
      (container: JsonObject) => commonErrors(container, pod, '', []).length === 0 && mainHandlerErrors(container, pod, '').length === 0,
    );
  },
  1_000,
  Number.POSITIVE_INFINITY,
);

function contextOf({ hostNetwork, hostUsers, restartPolicy, terminationGracePeriodSeconds, resourceClaims }: JsonObject): string {
  const claims = listOf(resourceClaims).map(({ name }) => ({ name }));
  const context = { hostNetwork, hostUsers, restartPolicy, terminationGracePeriodSeconds, resourceClaims: claims };
  return stringifyExactJson(context as JsonObject);
}

function mainHandlerErrors(container: JsonObject, { terminationGracePeriodSeconds }: JsonObject, at: string): readonly FieldError[] {
  return handlerErrors(container, at, Number(terminationGracePeriodSeconds ?? 30));
}

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const messagePolicies = ['File', 'FallbackToLogsOnError'];

function commonErrors(
  container: JsonObject,
  pod: JsonObject,
  at: string,
  mounts: readonly FieldError[] = mountErrors(container, pod, at),
): readonly FieldError[] {
  const { name, image, terminationMessagePolicy, imagePullPolicy } = container;
  const text = String(image ?? '');
  const claims = listOf(pod.resourceClaims).map((claim) => claim.name as Json);
  return [
    ...(name ? labelErrors(`${at}.name`, String(name)) : [required(`${at}.name`)]),
    ...(text === '' ? [required(`${at}.image`)] : []),
    ...choiceErrors(`${at}.terminationMessagePolicy`, terminationMessagePolicy, messagePolicies),
    ...portErrors(container, pod, at),
    ...environmentErrors(container, at),
    ...mounts,
    ...choiceErrors(`${at}.imagePullPolicy`, imagePullPolicy, pullPolicies),
    ...resourceErrors(structOf(container.resources), `${at}.resources`, claims),
    ...resizeErrors(container, pod, `${at}.resizePolicy`),
    ...containerSecurityErrors(container, pod, at),
  ];
}

function choiceErrors(field: string, value: Json | undefined, choices: readonly string[]): readonly FieldError[] {
  return value === undefined || choices.includes(String(value)) ? [] : [unsupported(field, value, choices)];
}

const protocols = ['SCTP', 'TCP', 'UDP'];

function portErrors(container: JsonObject, pod: JsonObject, at: string): readonly FieldError[] {
  const ports = listOf(container.ports);
  const repeats = repeatsOf(ports.map(({ name }) => name));
  return ports.flatMap(({ name, containerPort, hostPort, protocol }, index) => {
    const field = `${at}.ports[${index}]`;
    const isOther = pod.hostNetwork === true && hostPort && hostPort !== containerPort;
    return [
      ...(name ? portNameErrors(`${field}.name`, String(name)) : []),
      ...(name && repeats[index] ? [duplicate(`${field}.name`, name)] : []),
      ...(containerPort ? portNumberErrors(`${field}.containerPort`, containerPort) : [required(`${field}.containerPort`)]),
      ...(hostPort ? portNumberErrors(`${field}.hostPort`, hostPort) : []),
      ...(isOther ? [invalidValue(`${field}.hostPort`, hostPort as Json, 'must match `containerPort` when `hostNetwork` is true')] : []),
      ...choiceErrors(`${field}.protocol`, protocol, protocols),
    ];
  });
}

function hostPortErrors(containers: readonly JsonObject[], path: string): readonly FieldError[] {
  const known = new Set<string>();
  return containers.flatMap(({ ports }, index) =>
    listOf(ports).flatMap(({ hostPort, hostIP = '', protocol = '' }, number) => {
      if (!hostPort) return [];
      const shown = `${String(protocol)}/${String(hostIP)}/${String(hostPort)}`;
      const isRepeated = known.has(shown);
      known.add(shown);
      return isRepeated ? [duplicate(`${path}[${index}].ports[${number}].hostPort`, shown)] : [];
    }),
  );
}

const resizable = ['cpu', 'memory'];
const restarts = ['NotRequired', 'RestartContainer'];

function resizeErrors({ resizePolicy }: JsonObject, pod: JsonObject, field: string): readonly FieldError[] {
  const policies = listOf(resizePolicy);
  const repeats = repeatsOf(policies.map(({ resourceName }) => resourceName));
  return policies.flatMap(({ resourceName, restartPolicy }, index) => {
    const never = pod.restartPolicy === 'Never' && restartPolicy === 'RestartContainer';
    return [
      ...(repeats[index] ? [duplicate(`${field}[${index}]`, resourceName)] : []),
      ...choiceErrors(field, resourceName ?? '', resizable),
      ...choiceErrors(field, restartPolicy ?? '', restarts),
      ...(never ? [invalidValue(field, restartPolicy as Json, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")] : []),
    ];
  });
}

const handlerMembers = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

function initErrors(container: JsonObject, pod: JsonObject, at: string, isRepeated: boolean): readonly FieldError[] {
  const { name } = container;
  const errors = [...commonErrors(container, pod, at), ...(name && isRepeated ? [duplicate(`${at}.name`, name)] : [])];
  if (container.restartPolicy === 'Always') return [...errors, ...mainHandlerErrors(container, pod, at)];
  const text = 'may not be set for init containers without restartPolicy=Always';
  return [
    ...errors,
    ...handlerMembers.filter((member) => container[member] !== undefined).map((member) => forbiddenField(`${at}.${member}`, text)),
  ];
}

const foreignToEphemeral = ['ports', 'resources', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'];

function ephemeralErrors(pod: JsonObject, path: string, others: readonly Json[]): readonly FieldError[] {
  const all = listOf(pod.ephemeralContainers);
  const known = new Set(others);
  const repeats = repeatsOf([...others, ...all.map(({ name }) => name)]).slice(others.length);
  return all.flatMap((container, index) => {
    const at = `${path}.ephemeralContainers[${index}]`;
    const { name, targetContainerName: wanted } = container;
    const isUnknown = wanted !== undefined && wanted !== '' && !known.has(wanted);
    const common = Object.fromEntries(Object.entries(container).filter(([member]) => !foreignToEphemeral.includes(member))) as JsonObject;
    const isGiven = (member: string) =>
      isJsonObject(container[member]) ? Object.keys(container[member] as JsonObject).length > 0 : container[member] !== undefined;
    return [
      ...commonErrors(common, pod, at),
      ...(name && repeats[index] ? [duplicate(`${at}.name`, name)] : []),
      ...(isUnknown ? [{ type: 'notFound', field: `${at}.targetContainerName`, value: JSON.stringify(wanted) } as const] : []),
      ...foreignToEphemeral.filter(isGiven).map((member) => forbiddenField(`${at}.${member}`, 'cannot be set for an Ephemeral Container')),
    ];
  });
}
