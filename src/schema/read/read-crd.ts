import { FieldwiseError } from '../../util/error.js';
import type { Json, JsonObject } from '../../util/json.js';
import { isJsonObject } from '../../util/json.js';
import { deducedType, predefinedTypes } from '../deduced.js';
import type { MapType, RootType, Schema, Type } from '../model.js';
import { objectFields, objectMetaTypes } from '../object-meta.js';
import { readValueValidation } from '../value-validation.js';
import { describeNode } from './describe-node.js';
import { inlineType, readMap } from './read-node.js';
import { reportUncheckedRules } from './report-unchecked-rules.js';
import { requireShallow } from './require-shallow.js';
import type { SchemaDiagnostic } from './schema-diagnostic.js';

/** Options of `readCrd`. */
export interface ReadCrdOptions {
  /** Named in errors. */
  readonly file?: string;
  /**
   * Keeps descriptions.
   * @default false
   */
  readonly docs?: boolean;
}

/** The result of `readCrd`. */
export interface ReadCrdResult {
  /** One per version, in the order of the document. */
  readonly roots: readonly RootType[];
  readonly diagnostics: readonly SchemaDiagnostic[];
}

/** Returns true for a document that claims to be a CustomResourceDefinition, of any version. */
export function isCrdDocument(document: unknown): boolean {
  return isJsonObject(document) && document.kind === 'CustomResourceDefinition';
}

/**
 * Reads every version of a CustomResourceDefinition. The root of each gets `apiVersion`, `kind` and `metadata` as the API server adds them.
 * Source: Kubernetes documentation "Extend the Kubernetes API with CustomResourceDefinitions", "Specifying a structural schema".
 *
 * @throws FieldwiseError `crd-invalid`, naming the file and the path of the missing or wrong member.
 */
export function readCrd(document: unknown, options: ReadCrdOptions = {}): ReadCrdResult {
  const crd = new Reader(document, options);
  const diagnostics: SchemaDiagnostic[] = [];
  const group = crd.text('.spec.group', /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/);
  const kind = crd.text('.spec.names.kind', /^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$/);
  const resource = crd.text('.spec.names.plural', /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
  const scope = crd.text('.spec.scope', /^(Namespaced|Cluster)$/) as RootType['scope'];
  requireShallow(document, `The CustomResourceDefinition of ${kind}`, options.file);
  const roots = crd.versions().map((version, index) => {
    const name = crd.text(`.spec.versions[${index}].name`, /^[a-z]([-a-z0-9]*[a-z0-9])?$/);
    const apiVersion = `${group}/${name}`;
    const subject = `${kind} ${apiVersion}`;
    if (version.served === false) {
      diagnostics.push({
        code: 'version-not-served',
        subject,
        path: '.',
        message: 'the CRD does not serve this version; applying it fails',
      });
    }
    const deprecated = deprecationOf(version, subject);
    if (deprecated !== undefined) diagnostics.push({ code: 'version-deprecated', subject, path: '.', message: deprecated });
    const schema = isJsonObject(version.schema) ? version.schema.openAPIV3Schema : undefined;
    const type = rootType(schema, { subject, docs: options.docs === true, diagnostics: diagnostics });
    const typeName = `${apiVersion}.${kind}`;
    const types: Schema = { types: new Map([...predefinedTypes, ...objectMetaTypes(), [typeName, type]]) };
    const subresources = isJsonObject(version.subresources) ? Object.keys(version.subresources).toSorted() : [];
    const root = { apiVersion, kind, scope, schema: types, type: { name: typeName }, resource, subresources };
    return deprecated === undefined ? root : { ...root, deprecated };
  });
  return { roots, diagnostics: diagnostics };
}

// If the CRD has no text, the API server warns in these words.
function deprecationOf({ deprecated, deprecationWarning }: JsonObject, subject: string): string | undefined {
  if (deprecated !== true) return undefined;
  return typeof deprecationWarning === 'string' && deprecationWarning !== '' ? deprecationWarning : `${subject} is deprecated`;
}

function rootType(schema: Json | undefined, options: { subject: string; docs: boolean; diagnostics: SchemaDiagnostic[] }): Type {
  const context = { ...options, path: '', depth: 0, preserve: false, prunes: true, refName: () => undefined };
  if (!isJsonObject(schema)) {
    options.diagnostics.push({ code: 'node-widened', subject: options.subject, path: '.', message: 'no schema; any field is accepted' });
    return withObjectFields({ ...(deducedType.map as MapType) });
  }
  reportUncheckedRules(schema, context);
  // A root without `type`, or with preserve-unknown-fields, is still an object with metadata.
  const map = schema.type === 'object' ? readMap(schema, { ...context, isRoot: true }) : (inlineType(schema, context).map as MapType);
  const description = options.docs ? describeNode(schema) : undefined;
  const rules = readValueValidation(schema);
  return {
    ...withObjectFields(map ?? (deducedType.map as MapType)),
    ...(rules === undefined ? {} : { valueValidation: rules }),
    ...(description === undefined ? {} : { description }),
  };
}

function withObjectFields(map: MapType): Type {
  const fields = new Map(objectFields());
  for (const [name, field] of map.fields) if (!fields.has(name)) fields.set(name, field);
  return { map: { ...map, fields } };
}

class Reader {
  readonly #document: JsonObject;
  readonly #options: ReadCrdOptions;

  constructor(document: unknown, options: ReadCrdOptions) {
    this.#options = options;
    if (!isJsonObject(document) || document.kind !== 'CustomResourceDefinition') {
      throw this.#error('', 'The document is not a CustomResourceDefinition');
    }
    this.#document = document;
    if (document.apiVersion === 'apiextensions.k8s.io/v1beta1') throw this.#oldVersion(document);
    if (document.apiVersion !== 'apiextensions.k8s.io/v1') {
      const found = JSON.stringify(document.apiVersion ?? null);
      throw this.#error('.apiVersion', `Only CustomResourceDefinitions of apiextensions.k8s.io/v1 are read, not of ${found}`);
    }
  }

  versions(): readonly JsonObject[] {
    const versions = this.#at('.spec.versions');
    if (!Array.isArray(versions) || versions.length === 0)
      throw this.#error('.spec.versions', 'The CustomResourceDefinition has no versions');
    return versions.map((version: Json, index) => {
      if (isJsonObject(version)) return version;
      throw this.#error(`.spec.versions[${index}]`, 'A version of the CustomResourceDefinition is not an object');
    });
  }

  text(path: string, pattern: RegExp): string {
    const value = this.#at(path);
    if (typeof value === 'string' && value.length <= 253 && pattern.test(value)) return value;
    const found = value === undefined ? 'is missing' : `is ${JSON.stringify(value)?.slice(0, 80)}, which Kubernetes does not allow`;
    throw this.#error(path, `The CustomResourceDefinition's ${path.slice(1)} ${found}`);
  }

  #at(path: string): Json | undefined {
    let value: Json | undefined = this.#document;
    for (const step of path.match(/[A-Za-z]+|\d+/g) ?? []) {
      if (Array.isArray(value)) value = value[Number(step)];
      else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    }
    return value;
  }

  #oldVersion({ metadata }: JsonObject): FieldwiseError {
    const name = isJsonObject(metadata) && /^[\w.-]{1,253}$/.test(String(metadata.name)) ? String(metadata.name) : 'NAME';
    const what = 'The CustomResourceDefinition is of apiextensions.k8s.io/v1beta1, which Kubernetes serves no more since 1.22';
    return new FieldwiseError('crd-invalid', 'usage', what, {
      location: { ...(this.#options.file ? { file: this.#options.file } : {}), field: '.apiVersion' },
      next: `Take the CRD from a newer release of its project. If it is installed in a cluster, the API server has converted it to v1: \`fieldwise import --from-cluster ${name}\`. \`kubectl convert\` does not convert CRDs.`,
    });
  }

  #error(path: string, what: string): FieldwiseError {
    return new FieldwiseError('crd-invalid', 'usage', what, {
      location: { ...(this.#options.file ? { file: this.#options.file } : {}), ...(path ? { field: path } : {}) },
      next: 'Check that the file holds the CRD itself, as `kubectl get crd NAME -o yaml` prints it',
    });
  }
}
