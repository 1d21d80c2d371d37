import { type FieldPath, formatPath } from '../../fields/index.js';
import { isJsonObject, isList, type Json } from '../../util/json.js';
import { byElement, elementText, itemsOfSides } from './items.js';
import type { ListRules } from './list-rules.js';
import { isAbsent } from './presence.js';
import { equalsStored } from './secret-digests.js';
import type { CollateralValue } from './three-way-result.js';

/** Returns the leaves of a live value that differ from the last applied intent: set by others, or by the server's defaults. */
export function foreignValues(path: FieldPath, base: Json | undefined, live: Json, rules: ListRules): readonly CollateralValue[] {
  if (isAbsent(live) || equalsStored(live, base)) return [];
  if (isJsonObject(live)) {
    const known = isJsonObject(base) ? base : {};
    return Object.entries(live).flatMap(([name, value]) =>
      value === undefined
        ? []
        : foreignValues([...path, { kind: 'field', name }], Object.hasOwn(known, name) ? known[name] : undefined, value, rules),
    );
  }
  if (isList(live) && isList(base)) {
    const rule = rules(path, [base, live]);
    if (rule.type !== 'atomic') {
      const [before = [], now = []] = itemsOfSides(rule, [base, live]);
      const known = byElement(before);
      return now.flatMap(({ element, value }) =>
        element === undefined
          ? [{ path, field: formatPath(path), value }]
          : foreignValues([...path, element], known.get(elementText(element))?.[0]?.value, value, rules),
      );
    }
  }
  return [{ path, field: formatPath(path), value: live }];
}
