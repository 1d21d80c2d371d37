import { objectText } from '../../assembly/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, isList, type Json } from '../../util/json.js';
import { isReferenceKey, isSecretReference } from '../../util/secret-reference.js';
import type { DiagnosticCollector } from '../diagnostic-collector.js';
import type { MergedIntent } from './merged-intent.js';

/** Rejects references that are not whole values in the data of a Secret: a deploy resolves only those. */
export function checkReferences({ identity, object, declared }: MergedIntent, collector: DiagnosticCollector): void {
  const isSecret = identity.kind === 'Secret' && identity.apiVersion === 'v1';
  for (const field of referencesIn(object, isSecret)) {
    collector.add(
      new FieldwiseError('reference-misplaced', 'usage', 'A reference is used where it cannot be resolved', {
        location: { object: objectText(identity), field, ...declared[0]?.location },
        next: 'Use `fromEnv` and `fromFile` only as whole values in data or stringData of a Secret, and let other objects read that Secret.',
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
