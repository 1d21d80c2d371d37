import { isJsonObject, type JsonObject } from '../../util/json.js';
import { pluralize } from '../../util/pluralize.js';
import type { Schema, TypeRef } from '../model.js';
import { resolve } from '../resolve.js';
import type { KeySuggestion } from './key-suggestion.js';
import type { SampleList } from './sample-lists.js';

/** The number of sample files with lists of several items that make a guess a good one. */
export const enoughSamples = 5;

/** Compares suggested keys with samples: two items of one list with the same keys refute them, and enough lists without such items support them. */
export function judgeBySamples(
  suggestion: KeySuggestion,
  schema: Schema,
  items: TypeRef,
  samples: readonly SampleList[] | undefined,
): KeySuggestion {
  const { keys, confidence, reason } = suggestion;
  if (samples === undefined || keys.length === 0) return suggestion;
  const fields = resolve(schema, items).map?.fields;
  const tupleOf = (item: JsonObject) =>
    JSON.stringify(
      keys.map((key) => {
        const value = Object.hasOwn(item, key) ? item[key] : fields?.get(key)?.default;
        return typeof value === 'object' ? null : (value ?? null);
      }),
    );
  const lists = samples.map(({ location, items: all }) => ({ location, tuples: all.filter(isJsonObject).map(tupleOf) }));
  const refuting = lists.find(({ tuples }) => new Set(tuples).size < tuples.length);
  if (refuting !== undefined) {
    return { keys: [], confidence: 'none', reason: `two items of ${refuting.location} have the same ${keys.join(', ')}` };
  }
  const telling = lists.filter(({ tuples }) => tuples.length > 1);
  if (telling.length === 0) return suggestion;
  const files = new Set(telling.map(({ location }) => location)).size;
  const seen = `${pluralize(telling.length, 'list')} of ${pluralize(files, 'sample file')} differ in ${keys.join(', ')}`;
  if (confidence === 'low' && files >= enoughSamples) return { keys, confidence: 'high', reason: `the items of ${seen}` };
  return { keys, confidence, reason: `${reason}; the items of ${seen}` };
}
