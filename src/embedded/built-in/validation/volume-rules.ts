import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { duplicate, type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { billionths } from '../convert/compare-quantities.js';
import { listOf, repeatsOf, structOf } from '../convert/json-access.js';
import { claimSpecErrors } from './claim-rules.js';
import { fieldErrors, resourceFieldErrors } from './env-rules.js';
import { labelErrors } from './name-rules.js';

/**
 * The sources of a volume in the order in which the server checks them, with their names in messages, two of which differ.
 * Source: observed.
 */
const sources: Readonly<Record<string, string>> = {
  emptyDir: 'emptyDir',
  hostPath: 'hostPath',
  gitRepo: 'gitRepo',
  gcePersistentDisk: 'gcePersistentDisk',
  awsElasticBlockStore: 'awsElasticBlockStore',
  secret: 'secret',
  nfs: 'nfs',
  iscsi: 'iscsi',
  glusterfs: 'glusterfs',
  flocker: 'flocker',
  persistentVolumeClaim: 'persistentVolumeClaim',
  rbd: 'rbd',
  cinder: 'cinder',
  cephfs: 'cephFS',
  quobyte: 'quobyte',
  downwardAPI: 'downwarAPI',
  fc: 'fc',
  configMap: 'configMap',
  azureFile: 'azureFile',
  vsphereVolume: 'vsphereVolume',
  photonPersistentDisk: 'photonPersistentDisk',
  portworxVolume: 'portworxVolume',
  azureDisk: 'azureDisk',
  storageos: 'storageos',
  projected: 'projected',
  scaleIO: 'scaleIO',
  csi: 'csi',
  ephemeral: 'ephemeral',
  image: 'image',
};

const sourceNames = Object.keys(sources);

/** Lists that were found valid, with what the rules for them read of their Pod. */
const validVolumes = new WeakMap<readonly JsonObject[], boolean>();

/** Validates the volumes of a Pod. Source: Kubernetes documentation "Volumes"; API reference, Volume; messages as observed. */
export function volumeErrors(pod: JsonObject, path: string): readonly FieldError[] {
  const volumes = listOf(pod.volumes);
  const hasAccount = Boolean(pod.serviceAccountName);
  if (volumes.length === 0 || validVolumes.get(volumes) === hasAccount) return [];
  const errors = foundInVolumes(volumes, pod, path);
  if (errors.length === 0) validVolumes.set(volumes, hasAccount);
  return errors;
}

function foundInVolumes(volumes: readonly JsonObject[], pod: JsonObject, path: string): readonly FieldError[] {
  const repeats = repeatsOf(volumes.map(({ name }) => name));
  return volumes.flatMap((volume, index) => {
    const { name } = volume;
    const at = `${path}.volumes[${index}]`;
    const [first, ...others] = sourceNames.filter((source) => volume[source] !== undefined);
    return [
      ...(first === undefined ? [] : (rules[first]?.(structOf(volume[first]), `${at}.${first}`, pod) ?? [])),
      ...others.map((other) => forbiddenField(`${at}.${sources[other]}`, 'may not specify more than 1 volume type')),
      ...(name ? labelErrors(`${at}.name`, String(name)) : [required(`${at}.name`)]),
      ...(name && repeats[index] ? [duplicate(`${at}.name`, name)] : []),
    ];
  });
}

type SourceValidator = (source: JsonObject, at: string, pod: JsonObject) => readonly FieldError[];

const needed =
  (...members: readonly string[]): SourceValidator =>
  (source, at) =>
    members.filter((member) => !source[member]).map((member) => required(`${at}.${member}`));

const rules: Readonly<Record<string, SourceValidator>> = {
  emptyDir: ({ sizeLimit }, at) =>
    billionths(sizeLimit) < 0n ? [forbiddenField(`${at}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')] : [],
  hostPath: hostPathErrors,
  configMap: (source, at) => [...needed('name')(source, at, {}), ...filesErrors(source, at)],
  secret: (source, at) => [...needed('secretName')(source, at, {}), ...filesErrors(source, at)],
  nfs: ({ server, path }, at) => [
    ...(server ? [] : [required(`${at}.server`)]),
    ...(path ? [] : [required(`${at}.path`)]),
    ...(String(path ?? '').startsWith('/') ? [] : [invalidValue(`${at}.path`, path ?? '', 'must be an absolute path')]),
  ],
  persistentVolumeClaim: needed('claimName'),
  csi: needed('driver'),
  downwardAPI: (source, at) => [...modeErrors(source.defaultMode, `${at}.defaultMode`), ...downwardErrors(source, at)],
  projected: projectedErrors,
  image: needed('reference'),
  ephemeral: ({ volumeClaimTemplate }, at) =>
    isJsonObject(volumeClaimTemplate)
      ? claimSpecErrors(structOf(volumeClaimTemplate.spec), `${at}.volumeClaimTemplate.spec`)
      : [required(`${at}.volumeClaimTemplate`)],
};

const hostPathTypes = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

function hostPathErrors({ path, type }: JsonObject, at: string): readonly FieldError[] {
  if (!path) return [required(`${at}.path`)];
  const isKnown = type === undefined || hostPathTypes.includes(String(type));
  return [...backstepErrors(`${at}.path`, String(path)), ...(isKnown ? [] : [unsupported(`${at}.type`, type, hostPathTypes)])];
}

function backstepErrors(field: string, path: string): readonly FieldError[] {
  return path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : [];
}

/** Validates a path inside a volume. */
export function localPathErrors(field: string, path: string): readonly FieldError[] {
  return [...(path.startsWith('/') ? [invalidValue(field, path, 'must be a relative path')] : []), ...backstepErrors(field, path)];
}

function modeErrors(mode: Json | undefined, field: string): readonly FieldError[] {
  const fits = typeof mode !== 'number' || (mode >= 0 && mode <= 0o777);
  return fits ? [] : [invalidValue(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

function filesErrors(source: JsonObject, at: string): readonly FieldError[] {
  return [...modeErrors(source.defaultMode, `${at}.defaultMode`), ...itemErrors(source, at)];
}

function itemErrors({ items }: JsonObject, at: string): readonly FieldError[] {
  return listOf(items).flatMap(({ key, path, mode }, index) => {
    const field = `${at}.items[${index}]`;
    return [
      ...(key ? [] : [required(`${field}.key`)]),
      ...(path ? localPathErrors(`${field}.path`, String(path)) : [required(`${field}.path`)]),
      ...modeErrors(mode, `${field}.mode`),
    ];
  });
}

const downwardFields = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];

function downwardErrors({ items }: JsonObject, at: string): readonly FieldError[] {
  return listOf(items).flatMap(({ path, mode, fieldRef, resourceFieldRef }) => [
    ...(path ? localPathErrors(`${at}.path`, String(path)) : [required(`${at}.path`)]),
    ...(isJsonObject(fieldRef)
      ? fieldErrors(fieldRef, `${at}.fieldRef`, downwardFields, true)
      : isJsonObject(resourceFieldRef)
        ? resourceFieldErrors(resourceFieldRef, `${at}.resourceFieldRef`, true)
        : [required(at, 'one of fieldRef and resourceFieldRef is required')]),
    ...modeErrors(mode, `${at}.mode`),
  ]);
}

const projections = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken', 'clusterTrustBundle', 'podCertificate'];

function projectedErrors({ defaultMode, sources: list }: JsonObject, at: string, pod: JsonObject): readonly FieldError[] {
  const paths = new Set<string>();
  const errors = listOf(list).flatMap((source, index) => {
    const field = `${at}.sources[${index}]`;
    const given = projections.filter((name) => source[name] !== undefined);
    const nested = given.flatMap((name) => projectionErrors(name, structOf(source[name]), field, at, pod));
    const repeated = given.flatMap((name) => repeatedPaths(name, structOf(source[name]), field, paths));
    return [
      ...nested,
      ...repeated,
      ...given.slice(1).map(() => forbiddenField(field, 'may not specify more than 1 volume type per source')),
    ];
  });
  return [...modeErrors(defaultMode, `${at}.defaultMode`), ...errors];
}

function projectionErrors(name: string, source: JsonObject, field: string, at: string, pod: JsonObject): readonly FieldError[] {
  if (name === 'downwardAPI') return downwardErrors(source, `${field}.downwardAPI`);
  if (name === 'secret' || name === 'configMap')
    return [...(source.name ? [] : [required(`${field}.${name}.name`)]), ...itemErrors(source, `${field}.${name}`)];
  if (name !== 'serviceAccountToken') return [];
  const { expirationSeconds, path } = source;
  const tooShort = typeof expirationSeconds === 'number' && expirationSeconds < 600;
  const text = 'may not specify a duration less than 10 minutes';
  return [
    ...(tooShort ? [invalidValue(`${field}.${name}.expirationSeconds`, expirationSeconds, text)] : []),
    ...(path ? localPathErrors(`${at}.path`, String(path)) : [required(`${at}.path`)]),
    ...(pod.serviceAccountName ? [] : [forbiddenField(`${field}.${name}`, 'must not be specified when serviceAccountName is not set')]),
  ];
}

function repeatedPaths(name: string, source: JsonObject, field: string, paths: Set<string>): readonly FieldError[] {
  const own = name === 'serviceAccountToken' ? [source.path] : listOf(source.items).map(({ path }) => path);
  return own.flatMap((path) => {
    if (!path) return [];
    const isRepeated = paths.has(String(path));
    paths.add(String(path));
    return isRepeated ? [invalidValue(`${field}.${name}.path`, path, 'conflicting duplicate paths')] : [];
  });
}
