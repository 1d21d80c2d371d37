import type { Json, JsonObject } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { duplicate, type FieldError, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, repeatsOf, structOf, valuesOf } from '../../api/json-access.js';
import { nonNegativeErrors, subdomainErrors } from '../../api/name-rules.js';
import { billionths } from '../convert/compare-quantities.js';
import { labelSelectorErrors } from './scheduling-rules.js';

const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const lifecycles = ['Persistent', 'Ephemeral'];

/** Validates a CSIDriver. Source: Kubernetes API reference, CSIDriver; messages as observed. */
export function csiDriverErrors(object: JsonObject): readonly FieldError[] {
  const { fsGroupPolicy, volumeLifecycleModes, tokenRequests, nodeAllocatableUpdatePeriodSeconds: period } = structOf(object.spec);
  const requests = listOf(tokenRequests);
  const repeats = repeatsOf(requests.map(({ audience }) => audience ?? ''));
  return [
    ...(fsGroupPolicy === undefined || groupPolicies.includes(String(fsGroupPolicy))
      ? []
      : [unsupported('spec.fsGroupPolicy', fsGroupPolicy, groupPolicies)]),
    ...requests.flatMap(({ audience, expirationSeconds: seconds }, index) => {
      const at = `spec.tokenRequests[${index}]`;
      if (repeats[index]) return [duplicate(`${at}.audience`, audience ?? '')];
      const isShort = typeof seconds === 'number' && seconds < 600;
      return isShort ? [invalidValue(`${at}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes')] : [];
    }),
    ...valuesOf(volumeLifecycleModes).flatMap((mode) =>
      lifecycles.includes(String(mode)) ? [] : [unsupported('spec.volumeLifecycleModes', mode, lifecycles)],
    ),
    ...(typeof period === 'number' && period < 10
      ? [invalidValue('spec.nodeAllocatableUpdatePeriodSeconds', period, 'must be greater than or equal to 10 seconds')]
      : []),
  ];
}

/** Validates a CSINode. Source: Kubernetes API reference, CSINode; messages as observed. */
export function csiNodeErrors(object: JsonObject): readonly FieldError[] {
  const drivers = listOf(structOf(object.spec).drivers);
  const repeats = repeatsOf(drivers.map(({ name }) => name ?? ''));
  return drivers.flatMap(({ name, allocatable, topologyKeys }, index) => {
    const at = `spec.drivers[${index}]`;
    return [
      ...(repeats[index] ? [duplicate(`${at}.name`, name ?? '')] : []),
      ...nonNegativeErrors(`${at}.allocatable.count`, structOf(allocatable).count),
      ...topologyKeyErrors(valuesOf(topologyKeys), at),
    ];
  });
}

/** The server reports a key at its driver. */
function topologyKeyErrors(keys: readonly Json[], at: string): readonly FieldError[] {
  const repeats = repeatsOf(keys);
  return keys.flatMap((key, index) => [
    ...(key === '' ? [required(at)] : []),
    ...(repeats[index] ? [duplicate(at, key)] : []),
    ...qualifiedNameErrors(String(key)).map((text) => invalidValue(at, key, text)),
  ]);
}

/** Validates a CSIStorageCapacity. Source: Kubernetes documentation "Storage Capacity"; messages as observed. */
export function storageCapacityErrors({ storageClassName, capacity, nodeTopology }: JsonObject): readonly FieldError[] {
  const isNegative = capacity !== undefined && billionths(capacity) < 0n;
  return [
    ...subdomainErrors('storageClassName', String(storageClassName ?? '')),
    ...labelSelectorErrors(structOf(nodeTopology), 'nodeTopology'),
    ...(isNegative ? [invalidValue('capacity', String(capacity), 'must be greater than or equal to 0')] : []),
  ];
}

/** Validates a VolumeAttachment. Source: Kubernetes API reference, VolumeAttachment; messages as observed. */
export function attachmentErrors(object: JsonObject): readonly FieldError[] {
  const { attacher, source, nodeName } = structOf(object.spec);
  const { inlineVolumeSpec, persistentVolumeName: name } = structOf(source);
  const isOne = (inlineVolumeSpec === undefined) !== (name === undefined);
  const driver = String(attacher ?? '');
  const field = 'spec.source.persistentVolumeName';
  return [
    ...(driver === ''
      ? [required('spec.attacher')]
      : subdomainErrors('spec.attacher', driver.toLowerCase()).map((error) => ({ ...error, value: JSON.stringify(driver) }))),
    ...(isOne ? [] : [required('spec.source', 'must specify exactly one of inlineVolumeSpec and persistentVolumeName')]),
    ...(name === '' ? [required(field, 'must specify non empty persistentVolumeName')] : []),
    ...(typeof name === 'string' ? subdomainErrors(field, name) : []),
    ...subdomainErrors('spec.nodeName', String(nodeName ?? '')),
  ];
}
