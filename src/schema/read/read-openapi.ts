import { FieldwiseError } from '../../util/error.js';
import type { Json, JsonObject } from '../../util/json.js';
import { isJsonObject, jsonEqual } from '../../util/json.js';
import { predefinedTypes, untypedName } from '../deduced.js';
import type { RootType, Schema, Type, TypeRef } from '../model.js';
import type { NodeContext } from './read-node.js';
import { readNode } from './read-node.js';
import { quantity } from './read-scalar.js';
import { requireShallow } from './require-shallow.js';
import type { SchemaDiagnostic } from './schema-diagnostic.js';
import { servedKinds } from './served-kinds.js';

/** One OpenAPI v3 document, as `/openapi/v3/apis/GROUP/VERSION` answers it. */
export interface OpenApiDocument {
  /** A file or path, named in errors. */
  readonly name: string;
  readonly document: unknown;
}

/** Options of `readOpenApi`. */
export interface ReadOpenApiOptions {
  /**
   * Keeps descriptions.
   * @default false
   */
  readonly docs?: boolean;
}

/** The result of `readOpenApi`. */
export interface ReadOpenApiResult {
  readonly schema: Schema;
  /** Every kind that the documents' paths can PATCH, sorted by apiVersion and kind. */
  readonly roots: readonly RootType[];
  readonly diagnostics: readonly SchemaDiagnostic[];
}

const refPrefix = '#/components/schemas/';
const quantityName = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const rawExtensionName = 'io.k8s.apimachinery.pkg.runtime.RawExtension';

/**
 * Reads OpenAPI v3 documents into one schema. Version 2 is rejected: it lacks `default`, so that list keys would be wrong.
 *
 * @throws FieldwiseError `openapi-invalid`, naming the document.
 */
export function readOpenApi(documents: Iterable<OpenApiDocument>, options: ReadOpenApiOptions = {}): ReadOpenApiResult {
  const diagnostics: SchemaDiagnostic[] = [];
  const nodes = new Map<string, JsonObject>();
  const served = [];
  for (const { name, document } of documents) {
    const openApi = checked(name, document);
    requireShallow(document, 'The document', name);
    for (const [typeName, node] of componentsOf(openApi)) {
      const known = nodes.get(typeName);
      if (known === undefined) nodes.set(typeName, node);
      else if (!sameNode(known, node)) {
        diagnostics.push({
          code: 'node-widened',
          subject: typeName,
          path: '.',
          message: `${name} describes it differently; the first document counts`,
        });
      }
    }
    served.push(...servedKinds(openApi));
  }
  const types = new Map<string, Type>(predefinedTypes);
  const schema: Schema = { types };
  for (const [name, node] of nodes) types.set(name, namedType(name, node, nodes, options.docs === true, diagnostics));
  return { schema, roots: rootsOf(served, nodes, schema, diagnostics), diagnostics: diagnostics };
}

function checked(name: string, document: unknown): JsonObject {
  const wrong = (what: string, next: string) => new FieldwiseError('openapi-invalid', 'usage', what, { location: { file: name }, next });
  if (!isJsonObject(document)) throw wrong('The document is not an OpenAPI document', 'Pass a document from /openapi/v3 of an API server');
  if (document.swagger !== undefined) {
    throw wrong('The document is OpenAPI v2, which lacks the defaults of list keys', 'Pass the documents below /openapi/v3 instead');
  }
  if (typeof document.openapi !== 'string' || !document.openapi.startsWith('3.')) {
    throw wrong('The document is not an OpenAPI v3 document', 'Pass a document from /openapi/v3 of an API server');
  }
  return document;
}

function componentsOf(document: JsonObject): [string, JsonObject][] {
  const schemas = isJsonObject(document.components) ? document.components.schemas : undefined;
  if (!isJsonObject(schemas)) return [];
  return Object.entries(schemas).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]));
}

// Options types list every group-version that accepts them, and each document lists only its own.
function sameNode(left: JsonObject, right: JsonObject): boolean {
  const { 'x-kubernetes-group-version-kind': _left, ...a } = left;
  const { 'x-kubernetes-group-version-kind': _right, ...b } = right;
  return jsonEqual(a, b);
}

function namedType(
  name: string,
  node: JsonObject,
  nodes: ReadonlyMap<string, JsonObject>,
  docs: boolean,
  diagnostics: SchemaDiagnostic[],
): Type {
  if (name === quantityName) return quantity;
  const context: NodeContext = {
    subject: name,
    path: '',
    depth: 0,
    preserve: false,
    docs,
    diagnostics: diagnostics,
    refName: (ref) => {
      const target = ref.startsWith(refPrefix) ? decodeURIComponent(ref.slice(refPrefix.length)) : '';
      if (target === rawExtensionName) return untypedName;
      return nodes.has(target) ? target : undefined;
    },
  };
  const ref = readNode(node, context);
  if ('inline' in ref) return ref.inline;
  // A named type that only refers to another: its target is read in place, so that chains stay one step long.
  const target = nodes.get(ref.name);
  return target === undefined || target === node ? {} : namedType(ref.name, target, nodes, docs, diagnostics);
}

function rootsOf(
  served: ReturnType<typeof servedKinds>,
  nodes: ReadonlyMap<string, JsonObject>,
  schema: Schema,
  diagnostics: SchemaDiagnostic[],
): RootType[] {
  const names = typeNamesByKind(nodes);
  const roots = new Map<string, RootType>();
  for (const { apiVersion, kind, scope, resource, subresources, patch } of served) {
    const subject = `${kind} ${apiVersion}`;
    const name = names.get(subject);
    if (!patch) {
      diagnostics.push({ code: 'kind-not-applied', subject, path: '.', message: 'the API serves no PATCH for it' });
    } else if (name === undefined) {
      diagnostics.push({ code: 'kind-not-applied', subject, path: '.', message: 'the document has no schema for it' });
    } else {
      const type: TypeRef = { name };
      roots.set(subject, { apiVersion, kind, scope, schema, type, resource, subresources });
    }
  }
  return [...roots.values()].sort((a, b) => compare(a.apiVersion, b.apiVersion) || compare(a.kind, b.kind));
}

function typeNamesByKind(nodes: ReadonlyMap<string, JsonObject>): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, node] of nodes) {
    const kinds = node['x-kubernetes-group-version-kind'];
    if (!Array.isArray(kinds) || kinds.length !== 1) continue;
    const kind: Json | undefined = kinds[0];
    if (!isJsonObject(kind)) continue;
    names.set(`${String(kind.kind)} ${kind.group ? `${String(kind.group)}/` : ''}${String(kind.version)}`, name);
  }
  return names;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
