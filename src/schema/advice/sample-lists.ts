import { isJsonObject, type Json } from '../../util/json.js';
import { deducedName, untypedName } from '../deduced.js';
import type { RootType, TypeRef } from '../model.js';
import { resolve } from '../resolve.js';
import { pathStep } from '../schema-path.js';

/** A list in an object that somebody wrote. */
export interface SampleList {
  /** File of the object, for messages. */
  readonly location: string;
  readonly items: readonly Json[];
}

/** An object of the kind whose lists are judged. */
export interface SampleObject {
  readonly location: string;
  readonly value: Json;
}

/** Collects the lists of samples by the path of their schema, such as `.spec.listeners[].routes`. Samples of other kinds are ignored. */
export function sampleLists(root: RootType, samples: readonly SampleObject[]): ReadonlyMap<string, readonly SampleList[]> {
  const found = new Map<string, SampleList[]>();
  for (const { location, value } of samples) {
    if (isJsonObject(value) && value.kind === root.kind && groupOf(value.apiVersion) === groupOf(root.apiVersion)) {
      collect(value, root.type, '', location);
    }
  }
  return found;

  function collect(value: Json | undefined, ref: TypeRef, path: string, location: string): void {
    if (value === undefined || ('name' in ref && (ref.name === deducedName || ref.name === untypedName))) return;
    const { list, map } = resolve(root.schema, ref);
    if (Array.isArray(value) && list !== undefined) {
      const items = value as readonly Json[];
      const known = found.get(path);
      if (known === undefined) found.set(path, [{ location, items }]);
      else known.push({ location, items });
      for (const item of items) collect(item, list.element, `${path}[]`, location);
    } else if (isJsonObject(value) && map !== undefined) {
      for (const [name, member] of Object.entries(value)) {
        const field = map.fields.get(name);
        if (field !== undefined) collect(member, field.type, `${path}${pathStep(name)}`, location);
        else if (map.element !== undefined) collect(member, map.element, `${path}.*`, location);
      }
    }
  }
}

function groupOf(apiVersion: Json | undefined): string | undefined {
  return typeof apiVersion === 'string' && apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : undefined;
}
