import { metadataOf } from '../../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { listOf, structOf } from '../../api/json-access.js';

/**
 * Returns an object with the times that the server sets: when a volume came into its phase, and when a taint of a device was added.
 * Source: Kubernetes API reference, PersistentVolumeStatus, DeviceTaint; observed.
 */
export function withServerTimes(object: JsonObject, update?: { readonly live: JsonObject; readonly now: string }): JsonObject {
  const now = update?.now ?? String(metadataOf(object).creationTimestamp);
  if (object.kind === 'PersistentVolume') return withPhaseTime(object, structOf(update?.live.status), now);
  return object.kind === 'ResourceSlice' ? withTaintTimes(object, now) : object;
}

function withPhaseTime(volume: JsonObject, before: JsonObject, now: string): JsonObject {
  const status = structOf(volume.status);
  const { lastPhaseTransitionTime: kept = null } = before;
  const { lastPhaseTransitionTime: sent = null } = status;
  const isSame = status.phase === before.phase;
  if (isSame ? sent !== null || kept === null : sent !== null && sent !== kept) return volume;
  return { ...volume, status: { ...status, lastPhaseTransitionTime: isSame ? kept : now } };
}

function withTaintTimes(slice: JsonObject, now: string): JsonObject {
  const spec = structOf(slice.spec);
  if (!listOf(spec.devices).some(({ taints }) => listOf(taints).some(({ timeAdded }) => timeAdded === undefined))) return slice;
  const devices = listOf(spec.devices).map((device) =>
    isJsonObject(device) && device.taints !== undefined
      ? { ...device, taints: listOf(device.taints).map((taint) => ({ ...taint, timeAdded: taint.timeAdded ?? now })) }
      : device,
  );
  return { ...slice, spec: { ...spec, devices: devices as Json } };
}
