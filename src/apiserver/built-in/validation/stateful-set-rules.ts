import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { labelErrors, nonNegativeErrors } from '../../api/name-rules.js';
import { claimSpecErrors } from './claim-rules.js';

/** Members of the spec that an update may change. */
const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const changeText = `updates to statefulset spec for fields other than ${changeable
  .slice(0, -1)
  .map((name) => `'${name}'`)
  .join(', ')} and 'minReadySeconds' are forbidden`;

const retentions = ['Retain', 'Delete'];

/** Validates the members that only a StatefulSet has. Source: Kubernetes documentation "StatefulSets"; messages as observed. */
export function statefulSetErrors(spec: JsonObject): readonly FieldError[] {
  const { podManagementPolicy, persistentVolumeClaimRetentionPolicy, volumeClaimTemplates, serviceName } = spec;
  const isKnown = podManagementPolicy === 'OrderedReady' || podManagementPolicy === 'Parallel';
  const retention = structOf(persistentVolumeClaimRetentionPolicy);
  return [
    ...(isKnown ? [] : [invalidValue('spec.podManagementPolicy', podManagementPolicy, "must be 'OrderedReady' or 'Parallel'")]),
    ...strategyErrors(structOf(spec.updateStrategy)),
    ...['whenDeleted', 'whenScaled'].flatMap((name) => {
      const value = retention[name];
      const isRefused = value !== undefined && !retentions.includes(String(value));
      return isRefused ? [unsupported(`spec.persistentVolumeClaimRetentionPolicy.${name}`, value, retentions)] : [];
    }),
    ...listOf(volumeClaimTemplates).flatMap((claim, index) =>
      claimSpecErrors(structOf(claim.spec), `spec.volumeClaimTemplates[${index}].spec`),
    ),
    ...nonNegativeErrors('spec.replicas', spec.replicas),
    ...nonNegativeErrors('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegativeErrors('spec.ordinals.start', structOf(spec.ordinals).start),
    ...(serviceName ? labelErrors('spec.serviceName', String(serviceName)) : []),
  ];
}

function strategyErrors({ type, rollingUpdate }: JsonObject): readonly FieldError[] {
  const { partition = 0, maxUnavailable = null } = structOf(rollingUpdate);
  const shown = isJsonObject(rollingUpdate) ? { Partition: partition, MaxUnavailable: maxUnavailable } : null;
  if (type === 'OnDelete')
    return shown === null
      ? []
      : [invalidValue('spec.updateStrategy.rollingUpdate', shown, "only allowed for updateStrategy 'RollingUpdate'")];
  if (type !== 'RollingUpdate') {
    const value = { Type: type ?? '', RollingUpdate: shown };
    return [invalidValue('spec.updateStrategy', value, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  return nonNegativeErrors('spec.updateStrategy.rollingUpdate.partition', partition);
}

/** Validates that an update changes only members that may change. */
export function statefulSetChangeErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const names = new Set([...Object.keys(spec), ...Object.keys(before)]);
  const isChanged = [...names].some(
    (name) => !changeable.includes(name) && !jsonEqual((spec[name] ?? null) as Json, (before[name] ?? null) as Json),
  );
  return isChanged ? [forbiddenField('spec', changeText)] : [];
}
