import type { Json, JsonObject } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, repeatsOf, structOf } from '../../api/json-access.js';
import { localPathErrors, mountableVolumes } from './volume-rules.js';

const unpropagated = 'None';
const propagations = ['Bidirectional', 'HostToContainer', unpropagated];

/** Validates the mounts and devices of a container. Source: Kubernetes API reference, VolumeMount and VolumeDevice; messages as observed. */
export function mountErrors(container: JsonObject, pod: JsonObject, at: string): readonly FieldError[] {
  const volumes = mountableVolumes(pod);
  const mounts = listOf(container.volumeMounts);
  const repeats = repeatsOf(mounts.map(({ mountPath }) => mountPath));
  return [
    ...mounts.flatMap(({ name, mountPath, ...mount }, index) => {
      const field = `${at}.volumeMounts[${index}]`;
      return [
        ...nameErrors(name, `${field}.name`, volumes),
        ...(mountPath ? [] : [required(`${field}.mountPath`)]),
        ...(mountPath && repeats[index] ? [invalidValue(`${field}.mountPath`, mountPath, 'must be unique')] : []),
        ...pathErrors(mount, `${at}.volumeMounts`, index),
        ...modeErrors(mount, container, `${at}.volumeMounts`),
      ];
    }),
    ...listOf(container.volumeDevices).flatMap((device, index) => deviceErrors(device, volumes, `${at}.volumeDevices[${index}]`)),
  ];
}

function nameErrors(name: Json | undefined, field: string, volumes: ReadonlyMap<Json, JsonObject>): readonly FieldError[] {
  const isKnown = volumes.has(name ?? '');
  return [
    ...(name ? [] : [required(field)]),
    ...(isKnown ? [] : [{ type: 'notFound', field, value: JSON.stringify(name ?? '') } as const]),
  ];
}

function pathErrors({ subPath, subPathExpr }: JsonObject, path: string, index: number): readonly FieldError[] {
  const both = 'subPathExpr and subPath are mutually exclusive';
  return [
    ...(subPath ? localPathErrors(`${path}.subPath`, String(subPath)) : []),
    ...(subPath && subPathExpr ? [invalidValue(`${path}[${index}].subPathExpr`, subPathExpr, both)] : []),
    ...(subPathExpr ? localPathErrors(`${path}.subPathExpr`, String(subPathExpr)) : []),
  ];
}

function modeErrors(
  { mountPropagation, recursiveReadOnly, readOnly }: JsonObject,
  container: JsonObject,
  path: string,
): readonly FieldError[] {
  const isPrivileged = structOf(container.securityContext).privileged === true;
  const isRecursive = recursiveReadOnly === 'Enabled' || recursiveReadOnly === 'IfPossible';
  const field = `${path}.recursiveReadOnly`;
  return [
    ...(mountPropagation === undefined || propagations.includes(String(mountPropagation))
      ? []
      : [unsupported(`${path}.mountPropagation`, mountPropagation, propagations)]),
    ...(mountPropagation === 'Bidirectional' && !isPrivileged
      ? [forbiddenField(`${path}.mountPropagation`, 'Bidirectional mount propagation is available only to privileged containers')]
      : []),
    ...(isRecursive && readOnly !== true ? [forbiddenField(field, 'may only be specified when readOnly is true')] : []),
    ...(isRecursive && mountPropagation !== undefined && mountPropagation !== unpropagated
      ? [forbiddenField(field, `may only be specified when mountPropagation is ${unpropagated} or not specified`)]
      : []),
  ];
}

function deviceErrors({ name, devicePath }: JsonObject, volumes: ReadonlyMap<Json, JsonObject>, at: string): readonly FieldError[] {
  const volume = volumes.get(name ?? '');
  const isBlock = volume === undefined || volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined;
  const text = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
  return [
    ...nameErrors(name, `${at}.name`, volumes),
    ...(isBlock ? [] : [invalidValue(`${at}.name`, name ?? '', text)]),
    ...(devicePath ? [] : [required(`${at}.devicePath`)]),
  ];
}
