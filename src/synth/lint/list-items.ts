import { objectText } from '../../assembly/index.js';
import { isJsonObject, isList, type Json } from '../../util/json.js';
import { itemOf } from '../declared/typed.js';
import { itemKey } from '../merge/item-key.js';
import { declaredFields } from './declared-fields.js';
import { type LintDiagnostic, lifecycleOf, lintDiagnostic, type StackIntent } from './lint-diagnostic.js';

/** Yields a warning for each item of a shared list without a list map key, or with another key than an item of the same name elsewhere. */
export function* sharedItems(intents: readonly StackIntent[]): Generator<LintDiagnostic> {
  const named = new Map<string, { readonly placed: StackIntent; readonly identity: string; readonly text: string }>();
  for (const placed of intents) {
    for (const { path, value, typed, kind } of declaredFields(placed.intent.object, placed.intent.typed)) {
      const keys = typed?.type.list?.keys ?? [];
      if (!typed || kind !== 'part' || !isList(value) || keys.length === 0) continue;
      const fields = itemOf(typed)?.type.map?.fields;
      for (const item of value) {
        const missing = keys.filter((key) => (!isJsonObject(item) || item[key] === undefined) && !isRealDefault(fields?.get(key)?.default));
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

/** Returns false for the zero value, which built-in schemas declare as the default of keys without a real default. */
function isRealDefault(value: Json | undefined): boolean {
  return value !== undefined && value !== 0 && value !== '';
}

function isShare(placed: StackIntent): boolean {
  return lifecycleOf(placed) === 'share';
}

function withoutKey(placed: StackIntent, path: string, missing: readonly string[]): LintDiagnostic {
  const object = objectText(placed.intent.identity);
  return lintDiagnostic(
    'list-item-without-key',
    `${object} shares an item of ${path} without ${missing.join(' and ')}, which ${missing.length > 1 ? 'are keys' : 'is a key'} of this list: the server will reject it. Declare the complete key of the item.`,
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
    `Stacks ${before.placed.stack.name} and ${placed.stack.name} each declare an item named ${JSON.stringify(name)} at ${field} of ${object}, but with different keys (${before.text} in ${before.placed.stack.name}): the server keeps both items. Use the same key, or another name.`,
    placed,
    field,
    { with: [before.placed] },
  );
}
