import { requireShallow } from '../../../schema/read/require-shallow.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { isJsonObject } from '../../../util/json.js';

/** The parts of a document that identify the CRD in it. Nothing of the document has been checked yet. */
export interface CrdIdentity {
  /** Kind and group-version of each version, such as `Gateway edge.example.com/v1`; empty if the document lacks any of them. */
  readonly kinds: readonly string[];
  /** True for a part of a CRD, such as a patch of kustomize: neither a group nor names. */
  readonly isFragment: boolean;
  /** True for the form of a CRD that Kubernetes served before 1.22. */
  readonly isOld: boolean;
}

/**
 * Returns what identifies a CRD.
 *
 * @param only the version that is wanted of it; all versions if absent.
 */
export function identifyCrd(document: unknown, only?: string): CrdIdentity {
  const crd = isJsonObject(document) ? document : {};
  const spec = objectAt(crd, 'spec');
  const { kind } = objectAt(spec, 'names');
  const isOld = crd.apiVersion === 'apiextensions.k8s.io/v1beta1';
  const names = isOld ? [...versionNames(spec), ...(typeof spec.version === 'string' ? [spec.version] : [])] : versionNames(spec);
  const isNamed = typeof kind === 'string' && typeof spec.group === 'string';
  return {
    kinds: isNamed
      ? [...new Set(names)].filter((name) => only === undefined || name === only).map((name) => `${kind} ${String(spec.group)}/${name}`)
      : [],
    isFragment: spec.group === undefined && spec.names === undefined,
    isOld,
  };
}

/**
 * Returns the parts of a CRD that its builders depend on, without descriptions.
 *
 * @throws FieldwiseError `schema-too-deep`.
 */
export function comparableCrd(document: unknown, file: string): Json {
  requireShallow(document, 'The CustomResourceDefinition', file);
  const spec = objectAt(isJsonObject(document) ? document : {}, 'spec');
  const { kind = null, plural = null } = objectAt(spec, 'names');
  const versions = Array.isArray(spec.versions) ? (spec.versions as readonly Json[]) : [];
  return {
    spec: { group: spec.group ?? null, scope: spec.scope ?? null, kind, plural },
    versions: versions.map((version) => {
      const { name = null, served = null, deprecated = null, schema = null, subresources } = isJsonObject(version) ? version : {};
      return {
        name,
        served,
        deprecated,
        schema: withoutDescriptions(schema),
        subresources: isJsonObject(subresources) ? Object.keys(subresources).sort() : [],
      };
    }),
  };
}

function versionNames(spec: JsonObject): readonly string[] {
  const versions = Array.isArray(spec.versions) ? (spec.versions as readonly Json[]) : [];
  return versions.flatMap((version) => (isJsonObject(version) && typeof version.name === 'string' ? [version.name] : []));
}

function objectAt(object: JsonObject, name: string): JsonObject {
  const member = Object.hasOwn(object, name) ? object[name] : undefined;
  return isJsonObject(member) ? member : {};
}

// A property with the name `description` has a schema, not a text.
function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutDescriptions);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name, member]) => !(name === 'description' && typeof member === 'string'));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutDescriptions(member ?? null)]));
}
