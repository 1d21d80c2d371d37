import type { Json, JsonObject } from '../../../util/json.js';
import { listOf, structOf } from '../../api/json-access.js';
import { overlappingPaths, type SourcedPath } from './path-warnings.js';
import { claimSpecWarnings, type RemovedVolume, removedVolumeWarnings } from './storage-warnings.js';
import { eachAt, seenWarnings } from './warning-parts.js';

const typesBeforeClaims: readonly RemovedVolume[] = [
  'photonPersistentDisk',
  'gitRepo',
  'scaleIO',
  'flocker',
  'storageos',
  'quobyte',
  'glusterfs',
];

/** Returns warnings about the types and the claims of volumes, then about paths in them. Source: observed. */
export function volumeWarnings({ volumes }: JsonObject, path: string): readonly string[] {
  const list = listOf(volumes);
  return [
    ...eachAt(list, `${path}.volumes`, (volume, at) => [
      ...removedVolumeWarnings(volume, typesBeforeClaims, at),
      ...claimSpecWarnings(structOf(structOf(volume.ephemeral).volumeClaimTemplate).spec, `${at}.ephemeral.volumeClaimTemplate.spec`),
      ...removedVolumeWarnings(volume, ['cephfs', 'rbd'], at),
    ]),
    ...allPathWarnings(list),
  ];
}

function allPathWarnings(volumes: readonly JsonObject[]): readonly string[] {
  const warnings: string[] = [];
  for (const volume of volumes) {
    if (warnings.length > seenWarnings) break;
    for (const warning of pathWarnings(volume)) warnings.push(warning);
  }
  return warnings;
}

const quoted = (name: Json | undefined) => JSON.stringify(name ?? '');

function pathWarnings({ name, configMap, secret, downwardAPI, projected }: JsonObject): readonly string[] {
  const start = `volume ${quoted(name)}`;
  const overlapsOf = (what: string, paths: readonly SourcedPath[]) =>
    paths.length === 0 ? [] : overlappingPaths(paths).map((overlap) => `${start} (${what}): overlapping paths: ${overlap}`);
  return [
    ...overlapsOf(`ConfigMap ${quoted(structOf(configMap).name)}`, itemPaths(configMap, '')),
    ...overlapsOf(`Secret ${quoted(structOf(secret).secretName)}`, itemPaths(secret, '')),
    ...overlapsOf('DownwardAPI', itemPaths(downwardAPI, '')),
    ...projectedWarnings(listOf(structOf(projected).sources), start, (paths) => overlapsOf('Projected', paths)),
  ];
}

/** The warnings about sources without content stand before those about the paths of later ones. */
function projectedWarnings(
  sources: readonly JsonObject[],
  start: string,
  overlapsOf: (paths: readonly SourcedPath[]) => readonly string[],
): readonly string[] {
  const isEmpty = sources.some((source) => Object.keys(source).length === 0);
  const overlaps = overlapsOf(sources.flatMap(sourcePaths));
  if (!isEmpty) return overlaps;
  const before = sources.slice(
    0,
    sources.findIndex((source) => Object.keys(source).length === 0),
  );
  const early = overlaps.length === 0 ? 0 : overlapsOf(before.flatMap(sourcePaths)).length;
  return [...overlaps.slice(0, early), `${start} (Projected) has no sources provided`, ...overlaps.slice(early)];
}

function itemPaths(volume: Json | undefined, source: string): readonly SourcedPath[] {
  return listOf(structOf(volume).items).map(({ path }) => ({ path: String(path ?? ''), source }));
}

function sourcePaths(projection: JsonObject): readonly SourcedPath[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = projection;
  if (structOf(configMap).items) return itemPaths(configMap, `ConfigMap ${quoted(structOf(configMap).name)}`);
  if (structOf(secret).items) return itemPaths(secret, `Secret ${quoted(structOf(secret).name)}`);
  if (structOf(downwardAPI).items) return itemPaths(downwardAPI, 'DownwardAPI');
  if (serviceAccountToken) return [pathOf(structOf(serviceAccountToken).path, 'ServiceAccountToken')];
  if (clusterTrustBundle) {
    const { name, signerName, path } = structOf(clusterTrustBundle);
    return [pathOf(path, `ClusterTrustBundle ${quoted(name ?? signerName)}`)];
  }
  const { certificateChainPath, keyPath, credentialBundlePath } = structOf(podCertificate);
  return [
    pathOf(certificateChainPath, 'PodCertificate chain'),
    pathOf(keyPath, 'PodCertificate key'),
    pathOf(credentialBundlePath, 'PodCertificate credential bundle'),
  ];
}

function pathOf(path: Json | undefined, source: string): SourcedPath {
  return { path: String(path ?? ''), source };
}
