import type { ObjectIdentity } from '../../assembly/identity.js';
import { DiagnosticCollector } from '../../synth/diagnostic-collector.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { DocumentHost } from './document-host.js';
import { subject } from './document-subject.js';
import { type DocumentedObject, readDocuments } from './read-documents.js';

/** An object that documents name, and what they declare of it. */
export interface NamedDocument {
  readonly identity: ObjectIdentity;
  readonly object: JsonObject;
}

/**
 * Returns the objects that documents name.
 *
 * @throws FieldwiseError those of `readDocuments`, `intent-without-name`; several as `synth-failed`.
 */
export async function namedDocuments(
  paths: readonly string[],
  host: DocumentHost,
  defaultNamespace: string,
): Promise<readonly NamedDocument[]> {
  const collector = new DiagnosticCollector(subject);
  const objects = await readDocuments(paths, host, (error) => collector.add(error));
  const named = objects.map((one) => collector.attempt(() => ({ identity: documentIdentity(one, defaultNamespace), object: one.object })));
  collector.throwIfAny();
  return named.filter((one) => one !== undefined);
}

function documentIdentity({ object, source }: DocumentedObject, defaultNamespace: string): ObjectIdentity {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = isJsonObject(metadata) ? metadata : {};
  if (typeof name !== 'string' || name === '') {
    throw new FieldwiseError('intent-without-name', 'usage', `${String(kind)} has no metadata.name`, { location: { source } });
  }
  return {
    apiVersion: String(apiVersion),
    kind: String(kind),
    namespace: typeof namespace === 'string' ? namespace : defaultNamespace,
    name,
  };
}
