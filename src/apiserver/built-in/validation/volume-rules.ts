import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { onceFor } from '../../../util/once-for.js';
import { duplicate, type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { labelErrors } from '../../api/name-rules.js';
import { rememberingValid } from '../../api/remembering-valid.js';
import { billionths } from '../convert/compare-quantities.js';
import { claimSpecErrors } from './claim-rules.js';
import { fieldErrors, resourceFieldErrors } from './env-rules.js';

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

interface CheckedVolumes {
  readonly errors: readonly FieldError[];
  /** The volumes without an error, by name; only these can be mounted. */
  readonly valid: ReadonlyMap<Json, JsonObject>;
}

/** Validates the volumes of a Pod. Source: Kubernetes documentation "Volumes"; API reference, Volume; messages as observed. */
export function volumeErrors(pod: JsonObject, path: string): readonly FieldError[] {
  return checkedFor(pod).errorsAt(listOf(pod.volumes), path);
}

/** Returns the volumes of a Pod that its containers can mount, by name: those that are valid. */
export function mountableVolumes(pod: JsonObject): ReadonlyMap<Json, JsonObject> {
  return checkedFor(pod).mountable(listOf(pod.volumes));
}

function checkedFor({ serviceAccountName }: JsonObject): typeof withAccount {
  return serviceAccountName ? withAccount : withoutAccount;
}

const withAccount = remembering(true);
const withoutAccount = remembering(false);

function remembering(hasAccount: boolean) {
  return {
    errorsAt: rememberingValid((volumes: readonly JsonObject[], path) => check(volumes, hasAccount, path).errors),
    mountable: onceFor((volumes: readonly JsonObject[]) => check(volumes, hasAccount, '').valid),
  };
}

/** @param hasAccount true if their Pod has a service account: the rules for volumes read nothing else of it */
function check(volumes: readonly JsonObject[], hasAccount: boolean, path: string): CheckedVolumes {
  const valid = new Map<Json, JsonObject>();
  const errors = volumes.flatMap((volume, index) => {
    const { name = '' } = volume;
    const at = `${path}.volumes[${index}]`;
    const [first, ...others] = sourceNames.filter((source) => volume[source] !== undefined);
    const found = [
      ...(first === undefined ? [] : (rules[first]?.(structOf(volume[first]), `${at}.${first}`, hasAccount) ?? [])),
      ...others.map((other) => forbiddenField(`${at}.${sources[other]}`, 'may not specify more than 1 volume type')),
      ...(name === '' ? [required(`${at}.name`)] : labelErrors(`${at}.name`, String(name))),
      ...(valid.has(name) ? [duplicate(`${at}.name`, name)] : []),
    ];
    if (found.length === 0) valid.set(name, volume);
    return found;
  });
  return { errors, valid };
}

type SourceValidator = (source: JsonObject, at: string, hasAccount: boolean) => readonly FieldError[];

const needed =
  (...members: readonly string[]): SourceValidator =>
  (source, at) =>
    members.filter((member) => !source[member]).map((member) => required(`${at}.${member}`));

const rules: Readonly<Record<string, SourceValidator>> = {
  emptyDir: ({ sizeLimit }, at) =>
    billionths(sizeLimit) < 0n ? [forbiddenField(`${at}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')] : [],
  hostPath: hostPathErrors,
  configMap: (source, at) => [...needed('name')(source, at, false), ...filesErrors(source, at)],
  secret: (source, at) => [...needed('secretName')(source, at, false), ...filesErrors(source, at)],
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

/** Validates the source of a PersistentVolume by the rules that it shares with the volumes of Pods. */
export function volumeSourceErrors(name: string, source: JsonObject, at: string): readonly FieldError[] {
  return name === 'hostPath' || name === 'nfs' ? (rules[name]?.(source, at, false) ?? []) : [];
}

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

function projectedErrors({ defaultMode, sources: list }: JsonObject, at: string, hasAccount: boolean): readonly FieldError[] {
  const paths = new Set<string>();
  const errors = listOf(list).flatMap((source, index) => {
    const field = `${at}.sources[${index}]`;
    const given = projections.filter((name) => source[name] !== undefined);
    const nested = given.flatMap((name) => projectionErrors(name, structOf(source[name]), field, at, hasAccount));
    const repeated = given.flatMap((name) => repeatedPaths(name, structOf(source[name]), field, paths));
    return [
      ...nested,
      ...repeated,
      ...given.slice(1).map(() => forbiddenField(field, 'may not specify more than 1 volume type per source')),
    ];
  });
  return [...modeErrors(defaultMode, `${at}.defaultMode`), ...errors];
}

function projectionErrors(name: string, source: JsonObject, field: string, at: string, hasAccount: boolean): readonly FieldError[] {
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
    ...(hasAccount ? [] : [forbiddenField(`${field}.${name}`, 'must not be specified when serviceAccountName is not set')]),
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
