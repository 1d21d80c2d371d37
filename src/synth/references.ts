import { objectText } from '../assembly/index.js';
import { FieldwiseError } from '../util/error.js';
import { isJsonObject, isList, type Json } from '../util/json.js';
import { isReferenceKey, isSecretReference } from '../util/secret-reference.js';
import type { DiagnosticCollector } from './diagnostic-collector.js';
import type { MergedIntent } from './merged-intent.js';

/** Refuses references anywhere but as whole values of a Secret's data: only those are filled in at deploy. */
export function checkReferences({ identity, object, declared }: MergedIntent, collector: DiagnosticCollector): void {
  const isSecret = identity.kind === 'Secret' && identity.apiVersion === 'v1';
  for (const field of referencesIn(object, isSecret)) {
    collector.add(
      new FieldwiseError('reference-misplaced', 'usage', 'A reference stands where it cannot be filled in', {
        location: { object: objectText(identity), field, ...declared[0]?.location },
        next: '`fromEnv` and `fromFile` are whole values of data or stringData of a Secret, one for a key; let the others read that Secret.',
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
