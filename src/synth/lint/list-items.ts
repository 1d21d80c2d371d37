import { objectText } from '../../assembly/index.js';
import { isJsonObject, isList, type Json } from '../../util/json.js';
import { itemKey } from '../item-key.js';
import { itemOf } from '../typed.js';
import { declaredFields } from './declared-fields.js';
import { type LintDiagnostic, lifecycleOf, lintDiagnostic, type StackIntent } from './lint-diagnostic.js';

/** Items of shared lists whose list map keys are missing, or differ from those of an item of another stack with the same name. */
export function* sharedItems(intents: readonly StackIntent[]): Generator<LintDiagnostic> {
  const named = new Map<string, { readonly placed: StackIntent; readonly identity: string; readonly text: string }>();
  for (const placed of intents) {
    for (const { path, value, typed, kind } of declaredFields(placed.intent.object, placed.intent.typed)) {
      const keys = typed?.type.list?.keys ?? [];
      if (!typed || kind !== 'part' || !isList(value) || keys.length === 0) continue;
      const fields = itemOf(typed)?.type.map?.fields;
      for (const item of value) {
        const missing = keys.filter(
          (key) => (!isJsonObject(item) || item[key] === undefined) && !meansSomething(fields?.get(key)?.default),
        );
        if (missing.length > 0 && lifecycleOf(placed) === 'share') {
          yield withoutKey(placed, path, missing);
          continue;
        }
        const name = keys.includes('name') || !isJsonObject(item) ? undefined : item.name;
        if (typeof name !== 'string') continue;
        const key = itemKey(item as Json, typed);
        const nameKey = `${path} ${name}`;
        const before = named.get(nameKey);
        if (!before) named.set(nameKey, { placed, ...key });
        else if (before.identity !== key.identity && before.placed.stack !== placed.stack && [placed, before.placed].some(isShare)) {
          yield otherKey(placed, before, path + key.text, name);
        }
      }
    }
  }
}

/** Built-in schemas give keys without a real default the zero of their type. */
function meansSomething(value: Json | undefined): boolean {
  return value !== undefined && value !== 0 && value !== '';
}

function isShare(placed: StackIntent): boolean {
  return lifecycleOf(placed) === 'share';
}

function withoutKey(placed: StackIntent, path: string, missing: readonly string[]): LintDiagnostic {
  const object = objectText(placed.intent.identity);
  return lintDiagnostic(
    'list-item-without-key',
    `${object} shares an item of ${path} without ${missing.join(' and ')}, by which the server tells the items of this list apart: it will refuse it. Declare the key of the item that is meant.`,
    placed,
    path,
  );
}

function otherKey(
  placed: StackIntent,
  before: { readonly placed: StackIntent; readonly text: string },
  field: string,
  name: string,
): LintDiagnostic {
  const object = objectText(placed.intent.identity);
  return lintDiagnostic(
    'list-item-key-differs',
    `Stacks ${before.placed.stack.name} and ${placed.stack.name} each declare an item named ${JSON.stringify(name)} at ${field} of ${object}, by different keys (${before.text} in ${before.placed.stack.name}): the server keeps both. Use the same key, or another name.`,
    placed,
    field,
    { with: [before.placed] },
  );
}
