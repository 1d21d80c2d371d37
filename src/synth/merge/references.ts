import { DocumentObject } from '../../app/document-object.js';
import { objectText } from '../../assembly/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, isList, type Json } from '../../util/json.js';
import { isReferenceKey, isSecretReference } from '../../util/secret-reference.js';
import type { DiagnosticCollector } from '../diagnostic-collector.js';
import type { MergedIntent } from './merged-intent.js';

/**
 * Rejects references that are not whole values in the data of a Secret: a deploy resolves only those. Rejects all references of documents,
 * which others may have written: they would send variables and files of the user to the cluster.
 */
export function checkReferences({ identity, object, declared }: MergedIntent, collector: DiagnosticCollector): void {
  const isDocument = declared.some(({ construct }) => DocumentObject.isDocumentObject(construct));
  const isSecret = identity.kind === 'Secret' && identity.apiVersion === 'v1' && !isDocument;
  for (const field of referencesIn(object, isSecret)) {
    collector.add(
      new FieldwiseError('reference-misplaced', 'usage', 'A reference is used where it cannot be resolved', {
        location: { object: objectText(identity), field, ...declared[0]?.location },
        next: isDocument
          ? 'A document cannot refer to environment variables and files; only a program can, with `fromEnv` and `fromFile`.'
          : 'Use `fromEnv` and `fromFile` only as whole values in data or stringData of a Secret, and let other objects read that Secret.',
      }),
    );
  }
}

function referencesIn(value: Json, isSecret: boolean, path = '', found: string[] = []): readonly string[] {
  if (isList(value)) {
    for (let index = 0; index < value.length; index++) {
      const item = value[index] as Json;
      if (typeof item === 'object') referencesIn(item, isSecret, `${path}[${index}]`, found);
    }
  } else if (isJsonObject(value)) {
    for (const name in value) {
      const member = value[name];
      if (isReferenceKey(name)) found.push(path || '.');
      else if (typeof member !== 'object' || member === null) continue;
      else if (!(isSecret && path === '.data' && isSecretReference(member))) referencesIn(member, isSecret, `${path}.${name}`, found);
    }
  }
  return found;
}
