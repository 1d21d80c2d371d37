import { LineCounter, parseAllDocuments } from 'yaml';
import type { ObjectIdentity } from '../../assembly/identity.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject } from '../../util/json.js';

/**
 * Returns the objects that a YAML file names, with the items of each List.
 *
 * @throws FieldwiseError `object-file-invalid`.
 */
export function identitiesIn(text: string, file: string, defaultNamespace: string): readonly ObjectIdentity[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { prettyErrors: false, lineCounter: lines });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const [broken] = document.errors;
    if (broken) {
      const { line, col } = lines.linePos(broken.pos[0]);
      throw invalid(`${file}:${line}:${col}`, `it is not YAML: ${broken.message}`);
    }
    const value: unknown = document.toJS();
    if (value === null) return [];
    const items =
      isJsonObject(value) && value.kind === 'List' && Array.isArray(value.items) ? (value.items as readonly unknown[]) : [value];
    return items.map((item) => identityIn(item, file, defaultNamespace));
  });
}

function identityIn(value: unknown, file: string, defaultNamespace: string): ObjectIdentity {
  const { apiVersion, kind, metadata } = isJsonObject(value) ? value : {};
  const { name, namespace } = isJsonObject(metadata) ? metadata : {};
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') {
    throw invalid(file, 'a document has no apiVersion, kind or metadata.name');
  }
  return { apiVersion, kind, namespace: typeof namespace === 'string' ? namespace : defaultNamespace, name };
}

function invalid(file: string, what: string): FieldwiseError {
  return new FieldwiseError('object-file-invalid', 'usage', `The file does not name objects: ${what}`, {
    location: { file },
    next: 'Pass a YAML file of Kubernetes objects.',
  });
}
