import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { structOf } from '../../api/json-access.js';
import { subdomainErrors } from '../../api/name-rules.js';
import { billionths } from '../convert/compare-quantities.js';
import { labelSelectorErrors } from './scheduling-rules.js';

/** How nodes may mount a volume. */
export const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes = ['Block', 'Filesystem'];
const changeText = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** Validates the spec of a claim for a volume. Source: Kubernetes documentation "Persistent Volumes"; messages as observed. */
export function claimSpecErrors(spec: JsonObject, at: string): readonly FieldError[] {
  const { storageClassName, volumeMode, volumeAttributesClassName } = spec;
  return [
    ...(isJsonObject(spec.selector) ? labelSelectorErrors(spec.selector, `${at}.selector`) : []),
    ...modeErrors(spec, at),
    ...storageErrors(structOf(structOf(spec.resources).requests).storage, at),
    ...(storageClassName ? subdomainErrors(`${at}.storageClassName`, String(storageClassName)) : []),
    ...(volumeMode === undefined || volumeModes.includes(String(volumeMode))
      ? []
      : [unsupported(`${at}.volumeMode`, volumeMode, volumeModes)]),
    ...sourceErrors(spec, at),
    ...(volumeAttributesClassName ? subdomainErrors(`${at}.volumeAttributesClassName`, String(volumeAttributesClassName)) : []),
  ];
}

function modeErrors(spec: JsonObject, at: string): readonly FieldError[] {
  const modes = Array.isArray(spec.accessModes) ? (spec.accessModes as readonly Json[]) : [];
  const field = `${at}.accessModes`;
  const isAlone = !modes.includes('ReadWriteOncePod') || modes.length === 1;
  const unknown = modes.filter((mode) => !accessModes.includes(String(mode)));
  return [
    ...(modes.length === 0 ? [required(field, 'at least 1 access mode is required')] : []),
    ...unknown.map((mode) => unsupported(field, mode, accessModes)),
    ...(isAlone || unknown.length > 0 ? [] : [forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')]),
  ];
}

function storageErrors(storage: Json | undefined, at: string): readonly FieldError[] {
  const field = `${at}.resources[storage]`;
  if (storage === undefined) return [required(field)];
  return billionths(storage) > 0n ? [] : [invalidValue(field, String(storage), 'must be greater than zero')];
}

function sourceErrors(spec: JsonObject, at: string): readonly FieldError[] {
  return ['dataSource', 'dataSourceRef'].flatMap((member): readonly FieldError[] => {
    const source = spec[member];
    if (!isJsonObject(source)) return [];
    const field = `${at}.${member}`;
    const kind = String(source.kind ?? '');
    const isForeign = !source.apiGroup && kind !== 'PersistentVolumeClaim';
    return [
      ...(source.name ? [] : [required(`${field}.name`)]),
      ...(kind === '' ? [required(`${field}.kind`)] : []),
      ...(isForeign ? [invalidValue(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")] : []),
    ];
  });
}

/** Validates what an update changes of a claim. Source: as for `claimSpecErrors`. */
export function claimChangeErrors({ spec }: JsonObject, { spec: liveSpec, status }: JsonObject): readonly FieldError[] {
  const [now, before] = [structOf(spec), structOf(liveSpec)];
  const isBound = structOf(status).phase === 'Bound';
  const names = [...new Set([...Object.keys(now), ...Object.keys(before)])].filter((name) => !isFree(name, before, isBound));
  const same = (name: string) => jsonEqual(comparable(name, now, isBound), comparable(name, before, isBound));
  return [
    ...(names.every(same) ? [] : [forbiddenField('spec', changeText)]),
    ...(same('volumeMode') ? [] : [invalidValue('volumeMode', now.volumeMode ?? null, 'field is immutable')]),
  ];
}

/** The server sets the volume of a claim, and its class if it has none. */
function isFree(name: string, before: JsonObject, isBound: boolean): boolean {
  const isUnset = before[name] === undefined && (name === 'volumeName' || name === 'storageClassName');
  return isUnset || (isBound && name === 'volumeAttributesClassName');
}

function comparable(name: string, spec: JsonObject, isBound: boolean): Json {
  const value = spec[name] ?? null;
  return name === 'resources' && isBound ? (structOf(value).limits ?? null) : value;
}
