import { ignoredFields } from '../../ownership/index.js';
import type { RootType } from '../../schema/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { type FieldError, invalidValue } from '../api/field-error.js';
import type { Form, ServedVersion } from '../resources/resource.js';
import { withDefaults, withoutNulls } from './defaults.js';
import { withTypedMetadata } from './object-meta.js';
import { prune } from './prune.js';
import type { Structural } from './structural.js';
import { duplicateErrors, embeddedErrors, validateValue } from './validate.js';

export interface CustomVersion {
  readonly served: ServedVersion;
  readonly root: RootType;
  readonly schema: Structural;
}

/** Objects of a CustomResourceDefinition: their structural schema prunes, defaults and validates. No conversion but None. */
export function customForm(versions: ReadonlyMap<string, CustomVersion>): Form {
  const at = (apiVersion: string) => versions.get(apiVersion) as CustomVersion;
  const hasStatus = (object: JsonObject) => at(String(object.apiVersion)).served.status;
  const remembered = new WeakMap<JsonObject, Map<string, JsonObject>>();

  const read = (stored: JsonObject, apiVersion: string): JsonObject => {
    const { schema } = at(apiVersion);
    const known = withoutNulls(prune(stored, schema).object, schema) as JsonObject;
    return withTypedMetadata({ ...withDefaults(known, schema), apiVersion }, schema);
  };

  return {
    custom: true,
    blank: () => undefined,
    ignored: (apiVersion, subresource) => ignoredFields(at(apiVersion).root, subresource),
    decode(object, apiVersion) {
      const { schema } = at(apiVersion);
      const pruned = prune(object, schema);
      return { object: withTypedMetadata(withDefaults(pruned.object, schema), schema), unknown: pruned.unknown };
    },
    complete: (object, apiVersion) => withDefaults(object, at(apiVersion).schema),
    read(stored, apiVersion) {
      const memory = remembered.get(stored) ?? new Map<string, JsonObject>();
      remembered.set(stored, memory);
      const object = memory.get(apiVersion) ?? read(stored, apiVersion);
      memory.set(apiVersion, object);
      return object;
    },
    prepareCreate(object) {
      const { status: _, ...main } = object;
      return withGeneration(hasStatus(object) ? main : object, 1);
    },
    prepareUpdate(object, live, subresource) {
      const generation = (live.metadata as JsonObject).generation as number | undefined;
      const { status, ...main } = object;
      const { status: liveStatus, ...liveMain } = live;
      if (subresource === 'status') {
        const { managedFields } = object.metadata as JsonObject;
        const { managedFields: _, ...metadata } = live.metadata as JsonObject;
        const owned = managedFields === undefined ? metadata : { ...metadata, managedFields };
        return { ...liveMain, metadata: owned, ...(status === undefined ? {} : { status }) };
      }
      const kept: JsonObject = !hasStatus(object) ? object : liveStatus === undefined ? main : { ...main, status: liveStatus };
      const changed = !jsonEqual(content(kept, hasStatus(object)), content(live, hasStatus(object)));
      return withGeneration(kept, (generation ?? 0) + (changed ? 1 : 0));
    },
    validate(object, live, subresource) {
      const { schema, served } = at(String(object.apiVersion));
      const value = subresource === 'status' ? statusOnly(object) : object;
      return [...scaleErrors(object, served, live === undefined), ...validateValue(value, schema, ''), ...structureErrors(value, schema)];
    },
    warnings: () => [],
    unreadableScale: 'request to convert CR to an invalid group/version: autoscaling/v1',
  };
}

function structureErrors(object: JsonObject, schema: Structural): readonly FieldError[] {
  return [...duplicateErrors(object, schema, ''), ...embeddedErrors(object, schema, '')];
}

function statusOnly(object: JsonObject): JsonObject {
  return object;
}

function withGeneration(object: JsonObject, generation: number): JsonObject {
  return { ...object, metadata: { ...(object.metadata as JsonObject), generation } };
}

/** What makes a new generation: everything but metadata, and but status where that has a subresource. */
function content(object: JsonObject, hasStatus: boolean): Json {
  const { metadata: _, apiVersion: __, status, ...rest } = object;
  return hasStatus || status === undefined ? rest : { ...rest, status };
}

function scaleErrors(object: JsonObject, { scale }: ServedVersion, _creating: boolean): FieldError[] {
  if (scale === undefined) return [];
  return [scale.replicas, scale.statusReplicas].flatMap((path) => {
    const names = path.map((step) => (step.kind === 'field' ? step.name : ''));
    const field = `.${names.join('.')}`;
    let value: Json | undefined = object;
    for (const name of names) value = isJsonObject(value) ? value[name] : undefined;
    if (value === undefined) return [];
    if (typeof value === 'number' && Number.isInteger(value)) {
      return value < 0 ? [invalidValue(field, value, 'should be a non-negative integer')] : [];
    }
    const type = value === null ? '<nil>' : typeof value === 'string' ? 'string' : typeof value;
    return [
      invalidValue(field, 0, `${field} accessor error: ${value === null ? '<nil>' : String(value)} is of the type ${type}, expected int64`),
    ];
  });
}
