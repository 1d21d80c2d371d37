import { isJsonObject, type JsonObject } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { structOf, valuesOf } from '../../api/json-access.js';
import { subdomainErrors } from '../../api/name-rules.js';
import { billionths } from '../convert/compare-quantities.js';
import { accessModes, volumeModes } from './claim-rules.js';
import { volumeSourceErrors } from './volume-rules.js';

const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];

/** The sources of a PersistentVolume in the order in which the server checks them. Source: observed. */
const sources = [
  ...[
    'hostPath',
    'gcePersistentDisk',
    'awsElasticBlockStore',
    'glusterfs',
    'flocker',
    'nfs',
    'rbd',
    'quobyte',
    'cephfs',
    'iscsi',
    'cinder',
  ],
  ...['fc', 'azureFile', 'vsphereVolume', 'photonPersistentDisk', 'portworxVolume', 'azureDisk', 'scaleIO', 'local', 'storageos', 'csi'],
];

/** Validates a PersistentVolume. Source: Kubernetes documentation "Persistent Volumes"; messages as observed. */
export function persistentVolumeErrors(object: JsonObject): readonly FieldError[] {
  const spec = structOf(object.spec);
  const { persistentVolumeReclaimPolicy: policy, storageClassName, volumeMode } = spec;
  const isRoot = structOf(spec.hostPath).path === '/' && policy === 'Recycle';
  return [
    ...modeErrors(spec),
    ...capacityErrors(spec),
    ...(policy === undefined || reclaimPolicies.includes(String(policy))
      ? []
      : [unsupported('spec.persistentVolumeReclaimPolicy', policy, reclaimPolicies)]),
    ...(isJsonObject(spec.nodeAffinity) && spec.nodeAffinity.required === undefined
      ? [required('spec.nodeAffinity.required', 'must specify required node constraints')]
      : []),
    ...sourcesErrors(spec),
    ...(isRoot ? [forbiddenField('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'")] : []),
    ...(storageClassName ? subdomainErrors('spec.storageClassName', String(storageClassName)) : []),
    ...(volumeMode === undefined || volumeModes.includes(String(volumeMode))
      ? []
      : [unsupported('spec.volumeMode', volumeMode, volumeModes)]),
  ];
}

function modeErrors(spec: JsonObject): readonly FieldError[] {
  const modes = valuesOf(spec.accessModes);
  const known = modes.filter((mode) => accessModes.includes(String(mode)));
  const isShared = known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod');
  return [
    ...(modes.length === 0 ? [required('spec.accessModes')] : []),
    ...modes.filter((mode) => !known.includes(mode)).map((mode) => unsupported('spec.accessModes', mode, accessModes)),
    ...(isShared ? [forbiddenField('spec.accessModes', 'may not use ReadWriteOncePod with other access modes')] : []),
  ];
}

function capacityErrors({ capacity }: JsonObject): readonly FieldError[] {
  const amounts = structOf(capacity);
  const names = Object.keys(amounts);
  return [
    ...(names.length === 0 ? [required('spec.capacity')] : []),
    ...(names.length === 1 && names[0] === 'storage' ? [] : [unsupported('spec.capacity', capacity ?? null, ['storage'])]),
    ...names.flatMap((name) =>
      billionths(amounts[name]) > 0n ? [] : [invalidValue(`spec.capacity[${name}]`, String(amounts[name]), 'must be greater than zero')],
    ),
  ];
}

function sourcesErrors(spec: JsonObject): readonly FieldError[] {
  const [first, ...others] = sources.filter((name) => spec[name] !== undefined);
  if (first === undefined) return [required('spec', 'must specify a volume type')];
  return [
    ...(first === 'csi' ? driverErrors(structOf(spec.csi)) : volumeSourceErrors(first, structOf(spec[first]), `spec.${first}`)),
    ...others.map((name) => forbiddenField(`spec.${name}`, 'may not specify more than 1 volume type')),
    ...(first === 'local' && structOf(spec.local).path === '' ? [required('spec.local.path')] : []),
    ...(spec.local !== undefined && spec.nodeAffinity === undefined
      ? [required('spec.nodeAffinity', 'Local volume requires node affinity')]
      : []),
  ];
}

function driverErrors({ driver }: JsonObject): readonly FieldError[] {
  if (!driver) return [];
  return subdomainErrors('spec.csi.driver', String(driver).toLowerCase()).map((error) => ({ ...error, value: JSON.stringify(driver) }));
}
