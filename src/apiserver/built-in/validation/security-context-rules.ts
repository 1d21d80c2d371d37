import { isJsonObject, isNumber, type Json, type JsonObject } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required } from '../../api/field-error.js';
import { listOf, repeatsOf, structOf, valuesOf } from '../../api/json-access.js';

const idText = 'must be between 0 and 2147483647, inclusive';
const sysctlPattern = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;

const sysctlText = sysctlPattern.source.replaceAll('[./]', String.raw`[\./]`);

/** Members of a Pod's security context that Windows does not have. */
const linuxOnly = [
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
];

/** Validates the security context of a Pod. Source: Kubernetes API reference, PodSecurityContext; messages as observed. */
export function podSecurityErrors(pod: JsonObject, path: string): readonly FieldError[] {
  const context = structOf(pod.securityContext);
  const at = `${path}.securityContext`;
  const { hostUsers, hostNetwork, hostPID, hostIPC, shareProcessNamespace } = pod;
  const isWindows = structOf(pod.os).name === 'windows';
  const sysctls = listOf(context.sysctls);
  const repeats = repeatsOf(sysctls.map(({ name }) => name));
  const host = (field: string) => forbiddenField(`${path}.${field}`, 'when `hostUsers` is false');
  return [
    ...idErrors(context.fsGroup, `${at}.fsGroup`),
    ...idErrors(context.runAsUser, `${at}.runAsUser`),
    ...idErrors(context.runAsGroup, `${at}.runAsGroup`),
    ...valuesOf(context.supplementalGroups).flatMap((id, index) => idErrors(id, `${at}.supplementalGroups[${index}]`)),
    ...(shareProcessNamespace === true && hostPID === true
      ? [invalidValue(`${at}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled')]
      : []),
    ...sysctls.flatMap((sysctl, index) => sysctlErrors(sysctl, repeats[index] === true, `${at}.sysctls[${index}]`)),
    ...seccompErrors(context, at),
    ...(hostUsers === false && hostNetwork === true ? [host('hostNetwork')] : []),
    ...(hostUsers === false && hostPID === true ? [host('HostPID')] : []),
    ...(hostUsers === false && hostIPC === true ? [host('HostIPC')] : []),
    ...(isWindows
      ? linuxOnly
          .filter((name) => context[name] !== undefined)
          .map((name) => forbiddenField(`${at}.${name}`, 'cannot be set for a windows pod'))
      : []),
  ];
}

/** Validates the security context of a container. */
export function containerSecurityErrors(container: JsonObject, pod: JsonObject, path: string): readonly FieldError[] {
  if (!isJsonObject(container.securityContext)) return [];
  const context = container.securityContext;
  const at = `${path}.securityContext`;
  const isContrary = context.privileged === true && context.allowPrivilegeEscalation === false;
  return [
    ...idErrors(context.runAsUser, `${at}.runAsUser`),
    ...idErrors(context.runAsGroup, `${at}.runAsGroup`),
    ...(context.procMount === 'Unmasked' && pod.hostUsers !== false
      ? [invalidValue(`${at}.procMount`, 'Unmasked', '`hostUsers` must be false to use `Unmasked`')]
      : []),
    ...seccompErrors(context, at),
    ...(isContrary ? [invalidValue(at, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true')] : []),
  ];
}

function idErrors(id: Json | undefined, field: string): readonly FieldError[] {
  return isNumber(id) && (id < 0 || id > 2147483647) ? [invalidValue(field, id, idText)] : [];
}

function seccompErrors({ seccompProfile }: JsonObject, at: string): readonly FieldError[] {
  const { type, localhostProfile } = structOf(seccompProfile);
  const field = `${at}.seccompProfile.localhostProfile`;
  if (type === 'Localhost' && !localhostProfile) return [required(field, 'must be set when seccomp type is Localhost')];
  if (type === 'Localhost' || localhostProfile === undefined) return [];
  return [invalidValue(field, localhostProfile, 'can only be set when seccomp type is Localhost')];
}

function sysctlErrors({ name }: JsonObject, isRepeated: boolean, at: string): readonly FieldError[] {
  const text = String(name ?? '');
  if (text === '') return [required(`${at}.name`)];
  if (text.length > 253 || !sysctlPattern.test(text))
    return [invalidValue(`${at}.name`, text, `must have at most 253 characters and match regex ${sysctlText}`)];
  return isRepeated ? [{ type: 'duplicate', field: `${at}.name`, value: JSON.stringify(text) }] : [];
}
