import { objectText, type PartialObject } from '../../assembly/index.js';
import { isSecret } from '../../fields/object.js';
import type { RootType } from '../../schema/model.js';
import { type ErrorLocation, FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { nonText, textAdvice } from '../../util/non-text.js';
import { isSecretReference } from '../../util/secret-reference.js';
import { isBuiltInClusterScoped } from '../declared/built-in.js';

/** The context of a declared object: its stack and its declaration. */
export interface ObjectContext {
  readonly location: ErrorLocation;
  readonly root: RootType | undefined;
  /** Namespace for objects that name none and are not cluster-scoped. */
  readonly namespace: string | undefined;
  /** Default labels; labels of the object win. */
  readonly labels: Readonly<Record<string, string>>;
  /** True for objects of cdk8s, whose fields that an intent must not have are removed; in other objects, they are an error. */
  readonly generated: boolean;
}

/** Metadata that only the server sets; the engine adds `uid` and `resourceVersion` as preconditions. */
const serverSet = [
  ...['managedFields', 'resourceVersion', 'uid', 'creationTimestamp', 'generation', 'selfLink'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds'],
];

/**
 * Returns the validated partial object of a declaration: with the namespace and the labels of the stack, with the stringData of a Secret
 * converted to data, and with members in a stable order (apiVersion, kind, metadata with name and namespace, then as declared).
 *
 * @throws FieldwiseError `intent-without-kind`, `intent-without-name`, `intent-invalid`.
 */
export function partialObjectOf(value: unknown, context: ObjectContext): PartialObject {
  const { location, generated } = context;
  if (!isJsonObject(value)) throw new FieldwiseError('intent-invalid', 'usage', 'The intent is not an object', { location });
  const { apiVersion, kind, metadata: declaredMetadata = {} } = value;
  const type = checkType(apiVersion, kind, location);
  if (!isJsonObject(declaredMetadata)) throw invalid(`The metadata of ${type.kind} is not an object`, location, '.metadata');
  // Go programs write the absent time as null.
  const isGo = declaredMetadata.creationTimestamp === null;
  const own = generated ? without(declaredMetadata, serverSet) : isGo ? without(declaredMetadata, ['creationTimestamp']) : declaredMetadata;
  const { name, namespace: ownNamespace } = own;
  if (name === undefined && type.apiVersion === 'v1' && type.kind === 'List') {
    throw new FieldwiseError('intent-invalid', 'usage', 'A List is not an object of the cluster, only a way to write several', {
      location,
      next: 'Declare each of its items. `Include` of cdk8s does so with the Lists in YAML files.',
    });
  }
  requireText(`The name of ${type.kind}`, 'name', name, location);
  if (typeof name !== 'string' || name === '') {
    throw new FieldwiseError('intent-without-name', 'usage', `${type.kind} has no metadata.name`, {
      location: location,
      next: 'Server-side apply addresses an object by its name: give it one (generateName does not do).',
    });
  }
  const forbidden = generated ? undefined : serverSet.find((field) => own[field] !== undefined);
  if (forbidden) throw invalid(`${type.kind} ${name} declares a field that only the server sets`, location, `.metadata.${forbidden}`);
  const namespace = namespaceOf(type, name, ownNamespace, context);
  const rest = namespace === ownNamespace ? own : without(own, ['namespace']);
  const metadata = withLabels({ name, ...(namespace === undefined ? {} : { namespace }), ...rest }, context.labels);
  const sent = isSecret(type) ? withoutStringData(value, objectText({ ...type, name, namespace }), location) : value;
  // The first members are written out, because a literal that starts with a spread is many times slower.
  const inOrder = { apiVersion: type.apiVersion, kind: type.kind, metadata, ...sent };
  return { ...inOrder, metadata };
}

function checkType(apiVersion: Json | undefined, kind: Json | undefined, location: ErrorLocation): { apiVersion: string; kind: string } {
  for (const [field, text] of Object.entries({ apiVersion, kind })) requireText(`The ${field} of the intent`, field, text, location);
  const isNamed = (text: Json | undefined) => typeof text === 'string' && text !== '';
  if (!isNamed(apiVersion) || !isNamed(kind)) {
    const missing = Object.entries({ apiVersion, kind }).flatMap(([field, text]) => (isNamed(text) ? [] : [field]));
    throw new FieldwiseError('intent-without-kind', 'usage', `The intent has no ${missing.join(' and no ')}`, {
      location,
      next: 'Add apiVersion, kind and metadata.name to the literal, or use a builder of a whole object.',
    });
  }
  if (!/^[^/\s]+(\/[^/\s]+)?$/.test(apiVersion as string)) {
    throw invalid(
      `apiVersion ${JSON.stringify(apiVersion)} of ${kind} is neither \`version\` nor \`group/version\``,
      location,
      '.apiVersion',
    );
  }
  return { apiVersion: apiVersion as string, kind: kind as string };
}

/** @throws FieldwiseError `intent-invalid` for another value than a text; kubectl cannot decode it either. */
function requireText(what: string, field: string, value: Json | undefined, location: ErrorLocation): void {
  const found = nonText(value);
  if (found === undefined) return;
  const at = ['apiVersion', 'kind'].includes(field) ? `.${field}` : `.metadata.${field}`;
  throw new FieldwiseError('intent-invalid', 'usage', `${what} is ${found} (${at})`, {
    location: { ...location, field: at },
    next: textAdvice(field, value),
  });
}

function namespaceOf(
  { apiVersion, kind }: { apiVersion: string; kind: string },
  name: string,
  own: Json | undefined,
  { location, root, namespace, generated }: ObjectContext,
): string | undefined {
  const isClusterScoped = root ? root.scope === 'Cluster' : isBuiltInClusterScoped(apiVersion, kind);
  if (isClusterScoped) {
    if (own === undefined || generated) return undefined;
    throw invalid(`${kind} ${name} is cluster-scoped and cannot have a namespace`, location, '.metadata.namespace');
  }
  if (own === undefined) return namespace;
  if (typeof own === 'string' && own !== '') return own;
  requireText(`The namespace of ${kind} ${name}`, 'namespace', own, location);
  throw invalid(`The namespace of ${kind} ${name} is ${JSON.stringify(own)}`, location, '.metadata.namespace');
}

function without(object: JsonObject, fields: readonly string[]): JsonObject {
  if (!Object.keys(object).some((field) => fields.includes(field))) return object;
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}

function withLabels<Metadata extends JsonObject>(metadata: Metadata, labels: ObjectContext['labels']): Metadata {
  if (Object.keys(labels).length === 0) return metadata;
  return { ...metadata, labels: { ...labels, ...(isJsonObject(metadata.labels) ? metadata.labels : {}) } };
}

/**
 * Converts `stringData` to `data`. `stringData` is write-only: the server stores its values in `data` but their owners in `stringData`, so a
 * key could never be released. As on the server, `stringData` wins over `data`.
 */
function withoutStringData({ stringData, ...others }: JsonObject, object: string, location: ErrorLocation): JsonObject {
  // A server reads null, which charts render for no values, as absent.
  if (stringData === undefined || stringData === null) return others;
  if (!isJsonObject(stringData)) throw invalid(`The stringData of ${object} is not an object`, location, '.stringData');
  if (Object.keys(stringData).length === 0) return others;
  const encoded = Object.entries(stringData).map(([key, value]) => {
    if (isSecretReference(value)) return [key, value] as const;
    if (typeof value !== 'string') throw invalid(`A value in the stringData of ${object} is not a string`, location, `.stringData.${key}`);
    return [key, Buffer.from(value, 'utf8').toString('base64')] as const;
  });
  return { ...others, data: { ...(isJsonObject(others.data) ? others.data : {}), ...Object.fromEntries(encoded) } };
}

function invalid(what: string, location: ErrorLocation, field: string): FieldwiseError {
  return new FieldwiseError('intent-invalid', 'usage', `${what} (${field})`, { location: { ...location, field } });
}
