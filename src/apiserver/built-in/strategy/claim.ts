import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';

/**
 * Sets the source of the data of a new claim in both of its members, and drops one of a kind that only the later member takes.
 * Source: Kubernetes documentation "Persistent Volumes", "Data source references"; responses of a server.
 */
export function prepareNewClaim(object: JsonObject): JsonObject {
  const { spec } = object;
  if (object.kind !== 'PersistentVolumeClaim' || !isJsonObject(spec)) return object;
  const { dataSource, dataSourceRef } = spec;
  if (isJsonObject(dataSource) && dataSourceRef === undefined) {
    const { dataSource: _, ...others } = spec;
    return { ...object, spec: isKnownSource(dataSource) ? { ...spec, dataSourceRef: dataSource } : others };
  }
  const isLocal = isJsonObject(dataSourceRef) && dataSource === undefined && !dataSourceRef.namespace;
  return isLocal ? { ...object, spec: { ...spec, dataSource: dataSourceRef as Json } } : object;
}

function isKnownSource({ apiGroup, kind }: JsonObject): boolean {
  return kind === 'PersistentVolumeClaim' ? !apiGroup : kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io';
}
