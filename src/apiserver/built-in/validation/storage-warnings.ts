import { metadataOf } from '../../../fields/object.js';
import { type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { listOf, memberAt, structOf } from '../../api/json-access.js';
import { labelMapWarnings, labelWarnings, termWarnings } from './node-label-warnings.js';
import { byteWarnings, eachAt } from './warning-parts.js';

/** The removed types of volumes, and since when: of volumes in general. Source: observed. */
export const removedVolumes = {
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
} as const;

export type RemovedVolume = keyof typeof removedVolumes;

/** Returns warnings about the removed types of one volume, in the given order; a path has its own notation of one of them. */
export function removedVolumeWarnings(volume: JsonObject, types: readonly RemovedVolume[], path: string): readonly string[] {
  return types
    .filter((type) => volume[type])
    .map((type) => `${path}.${type === 'storageos' ? 'storageOS' : type}: ${removedVolumes[type]}`);
}

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';
const classText = 'deprecated since v1.8; use "storageClassName" attribute instead';

/** Returns warnings about annotations that a member replaces. */
function annotationWarnings(object: JsonObject, texts: Readonly<Record<string, string>>): readonly string[] {
  const known = metadataOf(object).annotations ?? {};
  return Object.entries(texts).flatMap(([name, text]) => (name in known ? [`metadata.annotations[${name}]: ${text}`] : []));
}

/** Returns warnings about the spec of a PersistentVolumeClaim. */
export function claimSpecWarnings(spec: Json | undefined, path: string): readonly string[] {
  const { requests, limits } = structOf(structOf(spec).resources);
  return [
    ...byteWarnings(requests, ['storage'], `${path}.resources.requests`),
    ...byteWarnings(limits, ['storage'], `${path}.resources.limits`),
  ];
}

/** Returns warnings about a PersistentVolumeClaim. */
export function claimWarnings(claim: JsonObject): readonly string[] {
  return [...annotationWarnings(claim, { [classAnnotation]: classText }), ...claimSpecWarnings(claim.spec, 'spec')];
}

const persistentTypes: readonly RemovedVolume[] = ['cephfs', 'photonPersistentDisk', 'scaleIO', 'storageos', 'glusterfs', 'rbd'];
const recycleText = 'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';

/** Returns warnings about a PersistentVolume. */
export function persistentVolumeWarnings(volume: JsonObject): readonly string[] {
  const spec = structOf(volume.spec);
  const terms = listOf(memberAt(spec, 'nodeAffinity.required.nodeSelectorTerms'));
  return [
    ...annotationWarnings(volume, {
      [classAnnotation]: classText,
      'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
    }),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle' ? [`spec.persistentVolumeReclaimPolicy: ${recycleText}`] : []),
    ...eachAt(terms, 'spec.nodeAffinity.required.nodeSelectorTerms', (term, path) => termWarnings(term, path)),
    ...removedVolumeWarnings(spec, persistentTypes, 'spec'),
  ];
}

/** Returns warnings about the topologies of a StorageClass. */
export function storageClassWarnings({ allowedTopologies }: JsonObject): readonly string[] {
  return eachAt(listOf(allowedTopologies), 'allowedTopologies', ({ matchLabelExpressions }, path) =>
    eachAt(listOf(matchLabelExpressions), `${path}.matchLabelExpressions`, ({ key }, at) => labelWarnings(key, `${at}.key`, false)),
  );
}

/** Returns warnings about the topology of a CSIStorageCapacity. */
export function capacityWarnings({ nodeTopology }: JsonObject): readonly string[] {
  const selector = structOf(nodeTopology);
  return [
    ...termWarnings(selector, 'nodeTopology'),
    ...labelMapWarnings(selector.matchLabels, (label) => `nodeTopology.matchLabels.${label}`),
  ];
}

const secretTokens =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

/** Returns a warning about a CSIDriver whose tokens are shown; on an update only if it changes their requests. */
export function driverWarnings(driver: JsonObject, live: JsonObject | undefined): readonly string[] {
  const { tokenRequests, serviceAccountTokenInSecrets } = structOf(driver.spec);
  if (listOf(tokenRequests).length === 0 || typeof serviceAccountTokenInSecrets === 'boolean') return [];
  return live !== undefined && jsonEqual(structOf(live.spec).tokenRequests, tokenRequests) ? [] : [secretTokens];
}
