import type { SchemaStep } from '../src/schema/index.js';
import { FieldwiseError } from '../src/util/error.js';
import type { Json, JsonObject } from '../src/util/json.js';
import { isJsonObject } from '../src/util/json.js';
import type { ListTypeOverlay } from './list-type.js';

/** A CRD whose list types were changed by overlays. */
export interface OverlaidCrd {
  /** The CRD to deploy: the given one, without server-set members. */
  readonly crd: JsonObject;
  /** Paths of lists whose items have owners only because of an overlay, by version. */
  readonly overlaid: ReadonlyMap<string, readonly string[]>;
  /** The overlays that name this CRD. */
  readonly used: ReadonlySet<ListTypeOverlay>;
}

/**
 * Sets the list types that overlays name, in every version of a CRD that has the path.
 *
 * The rules are those of the API server for structural schemas. Source: Kubernetes documentation "Server-Side Apply", "Custom resources and
 * server-side apply"; API reference of JSONSchemaProps, `x-kubernetes-list-type` and `x-kubernetes-list-map-keys`.
 *
 * @param document a CustomResourceDefinition that `readCrd` accepts
 * @throws FieldwiseError `list-type-refused` naming the path, if the API server would reject the type.
 */
export function overlayCrd(document: JsonObject, overlays: readonly ListTypeOverlay[], file?: string): OverlaidCrd {
  const { spec } = document as { spec: JsonObject & { names: JsonObject; versions: readonly JsonObject[] } };
  const named = overlays.filter(
    (overlay) => overlay.kind === spec.names.kind && (overlay.group === undefined || overlay.group === spec.group),
  );
  const used = new Set<ListTypeOverlay>();
  const overlaid = new Map<string, string[]>();
  if (named.length === 0) return { crd: document, overlaid, used };
  const crd = deployable(document);
  for (const version of (crd.spec as typeof spec).versions) {
    const schema = isJsonObject(version.schema) ? version.schema.openAPIV3Schema : undefined;
    for (const overlay of named) {
      if (overlay.version !== undefined && overlay.version !== version.name) continue;
      const list = at(schema, overlay.steps);
      if (!isJsonObject(list)) continue;
      const refuse = (what: string): FieldwiseError => refused(overlay, `${spec.group}/${String(version.name)}`, what, file);
      if (setListType(list as Record<string, Json>, overlay, refuse)) {
        const paths = overlaid.get(String(version.name)) ?? [];
        overlaid.set(String(version.name), [...paths, overlay.path]);
      }
      used.add(overlay);
    }
  }
  for (const overlay of named) {
    if (!used.has(overlay)) throw refused(overlay, String(spec.group), 'no version of the CRD has this path', file);
  }
  return { crd, overlaid, used };
}

/** Changes the list's node; returns true if its items have owners now and had none before. */
function setListType(list: Record<string, Json>, { type, keys }: ListTypeOverlay, refuse: (what: string) => FieldwiseError): boolean {
  if (list.type !== 'array') throw refuse(`it is ${list.type === undefined ? 'of no type' : `of type ${String(list.type)}`}, not an array`);
  const items = isJsonObject(list.items) ? list.items : {};
  const before = list['x-kubernetes-list-type'] ?? 'atomic';
  const keysBefore = JSON.stringify([...((list['x-kubernetes-list-map-keys'] as readonly string[] | undefined) ?? [])].sort());
  if (type === 'map') checkKeys(items, keys, refuse);
  if (type === 'set') checkMembers(items, refuse);
  list['x-kubernetes-list-type'] = type;
  delete list['x-kubernetes-list-map-keys'];
  if (type === 'map') list['x-kubernetes-list-map-keys'] = [...keys];
  if (type === 'atomic') return false;
  return before !== type || (type === 'map' && keysBefore !== JSON.stringify([...keys].sort()));
}

function checkKeys(items: JsonObject, keys: readonly string[], refuse: (what: string) => FieldwiseError): void {
  if (items.type !== 'object') throw refuse('its items are not objects, so they have no keys; a list of scalars can be a set');
  if (items.nullable === true) throw refuse('its items may be null, which has no key');
  const properties = isJsonObject(items.properties) ? items.properties : {};
  const required = Array.isArray(items.required) ? items.required : [];
  for (const key of keys) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!isJsonObject(property)) throw refuse(`its items declare no field ${JSON.stringify(key)}`);
    const scalar = /^(string|integer|number|boolean)$/.test(String(property.type)) || property['x-kubernetes-int-or-string'] === true;
    if (!scalar) throw refuse(`the key ${JSON.stringify(key)} is not a scalar`);
    if (property.nullable === true) throw refuse(`the key ${JSON.stringify(key)} may be null`);
    if (!required.includes(key) && property.default === undefined) {
      throw refuse(`the key ${JSON.stringify(key)} is neither required nor has a default`);
    }
  }
}

function checkMembers(items: JsonObject, refuse: (what: string) => FieldwiseError): void {
  if (items.nullable === true) throw refuse('its items may be null, which a set does not hold');
  const scalar = /^(string|integer|number|boolean)$/.test(String(items.type)) || items['x-kubernetes-int-or-string'] === true;
  if (!scalar) throw refuse('its items are not scalars; a list of objects can be a map');
}

/** Returns the schema node at a path; undefined if there is none. */
function at(schema: Json | undefined, steps: readonly SchemaStep[]): Json | undefined {
  let node = schema;
  for (const step of steps) {
    if (!isJsonObject(node)) return undefined;
    if ('items' in step) node = node.items;
    else if ('values' in step) node = node.additionalProperties;
    else node = isJsonObject(node.properties) && Object.hasOwn(node.properties, step.property) ? node.properties[step.property] : undefined;
  }
  return node;
}

/** Returns a copy with name, labels and annotations, without server-set members. Nodes that YAML aliases share are copied separately. */
function deployable(document: JsonObject): JsonObject {
  const { apiVersion, kind, metadata, spec } = JSON.parse(JSON.stringify(document)) as Record<string, Json>;
  const { name, labels, annotations } = isJsonObject(metadata) ? metadata : ({} as JsonObject);
  const kept = isJsonObject(annotations)
    ? Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== 'kubectl.kubernetes.io/last-applied-configuration'))
    : undefined;
  return {
    apiVersion: apiVersion as Json,
    kind: kind as Json,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(labels === undefined ? {} : { labels }),
      ...(kept === undefined || Object.keys(kept).length === 0 ? {} : { annotations: kept }),
    },
    spec: spec as Json,
  };
}

function refused(overlay: ListTypeOverlay, version: string, what: string, file: string | undefined): FieldwiseError {
  const type = overlay.type === 'map' ? `map[${overlay.keys.join(', ')}]` : overlay.type;
  return new FieldwiseError('list-type-refused', 'usage', `The list cannot be of type ${type}: ${what}`, {
    location: { ...(file === undefined ? {} : { file }), object: `${overlay.kind} ${version}`, field: overlay.path },
    next: 'The API server would refuse such a CRD; correct the list type, or the CRD itself',
  });
}
