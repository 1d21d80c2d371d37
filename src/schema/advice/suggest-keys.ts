import type { ListType, Schema } from '../model.js';
import { resolve } from '../resolve.js';
import { type BuiltInShape, builtInAnswer } from './built-in-shapes.js';
import { describedOrder } from './described-order.js';
import { identifyingFields } from './identifying-fields.js';
import { itemFields } from './item-fields.js';
import type { KeySuggestion } from './key-suggestion.js';
import { orderReason } from './ordered-lists.js';

/**
 * Suggests list map keys for an atomic list of objects.
 *
 * @param name the name of the list, such as `containers`; of a list in a list or map, the name of the outer one.
 * @param shapes the lists of the built-in API; without them, only names, descriptions and required fields are judged.
 * @param description what the author says of the list.
 */
export function suggestKeys(
  schema: Schema,
  name: string,
  list: ListType,
  shapes: readonly BuiltInShape[] = [],
  description?: string,
): KeySuggestion {
  const fields = itemFields(schema, list.element);
  if (fields === undefined) return none('its items are not objects with declared fields');
  if (list.explicit === true) return none('its author declares it atomic');
  const answer = builtInAnswer(shapes, name, fields);
  const order = orderReason(name, fields);
  if (answer?.keys !== undefined && (answer.sameName || order === undefined)) {
    const { shape, keys } = answer;
    const same = `its items have the structure of ${shape.item} in the built-in API`;
    if (keys.length === 0) return none(`${same}, where ${shape.list} is atomic`);
    const keyed = `${same}, where ${shape.list} has ${keys.length > 1 ? 'these keys' : 'this key'}`;
    const optional = keys.filter((key) => !fields.required.includes(key) && !fields.defaulted.has(key));
    if (optional.length === 0) return { keys, confidence: 'high', reason: keyed };
    return { keys, confidence: 'low', reason: `${keyed}; here ${optional.join(' and ')} ${optional.length > 1 ? 'are' : 'is'} optional` };
  }
  const meaning = order ?? describedOrder(name, [description, resolve(schema, list.element).description]);
  if (meaning !== undefined) return none(meaning);
  const suggestion = identifyingFields(name, fields);
  if (answer === undefined || suggestion.confidence !== 'high') return suggestion;
  return { ...suggestion, confidence: 'low', reason: `the built-in API has atomic and keyed lists of ${answer.shape.item}` };
}

function none(reason: string): KeySuggestion {
  return { keys: [], confidence: 'none', reason };
}
