import { type FieldPath, formatPath, has } from '../../fields/index.js';
import { isJsonObject, isList, type Json, type JsonObject } from '../../util/json.js';
import { foreignValues } from './foreign-values.js';
import { byElement, elementText, type Item, type ItemRule, itemsOfSides, requireUnambiguous } from './items.js';
import { isAbsent, withoutNulls } from './presence.js';
import { equalsStored } from './secret-digests.js';
import type { CollateralValue, ContestedField, RetainedField, ThreeWayInput } from './three-way-result.js';

type Maybe = Json | undefined;

/**
 * One walk over the last applied, declared and live versions of an object; collects its findings. An undefined result means that the value
 * is absent.
 */
export class ThreeWayMerger {
  readonly contested: ContestedField[] = [];
  readonly collateral: CollateralValue[] = [];
  readonly retained: RetainedField[] = [];
  readonly preexisting: FieldPath[] = [];
  readonly yielded: FieldPath[] = [];
  readonly #options: Pick<ThreeWayInput, 'rules' | 'isOwnedByOthers' | 'introduced' | 'isDeclaredAsWhole' | 'preexisting' | 'yields'>;

  constructor(options: Pick<ThreeWayInput, 'rules' | 'isOwnedByOthers' | 'introduced' | 'isDeclaredAsWhole' | 'preexisting' | 'yields'>) {
    this.#options = options;
  }

  /** @param keys fields that name the item that these are members of: they are never released */
  members(path: FieldPath, base: Maybe, intent: JsonObject, live: JsonObject, keys: readonly string[]): JsonObject {
    const before = isJsonObject(base) ? base : {};
    const names = new Set([...Object.keys(intent), ...Object.keys(before).filter((name) => !keys.includes(name))]);
    const changed = new Map<string, Maybe>();
    for (const name of names) {
      const now = own(live, name);
      if (keys.includes(name) && equalsStored(now, own(intent, name))) continue;
      const merged = this.#value([...path, { kind: 'field', name }], own(before, name), own(intent, name), now);
      if (merged !== now) changed.set(name, merged);
    }
    if (changed.size === 0) return live;
    const kept = Object.entries(live).map(([name, value]) => [name, changed.has(name) ? changed.get(name) : value] as const);
    const added = [...changed].filter(([name]) => !Object.hasOwn(live, name));
    return Object.fromEntries([...kept, ...added].filter(([, value]) => value !== undefined));
  }

  #value(path: FieldPath, base: Maybe, intent: Maybe, live: Maybe): Maybe {
    if (intent === undefined) return this.#released(path, base, live);
    if (isAbsent(live)) return intent === null ? live : withoutNulls(intent);
    if (intent === null) return this.#nothing(path, base, live);
    if (isJsonObject(intent) && isJsonObject(live)) {
      // A map counts as introduced by this manager once it holds nothing of others, unless it existed while it was empty.
      this.#recordPreexisting(path, Object.keys(live).length === 0 ? base : intent);
      return this.members(path, base, intent, live, []);
    }
    if (isList(intent) && isList(live)) {
      const rule = this.#rule(path, base, intent, live);
      if (rule.type !== 'atomic') return this.#items(path, rule, isList(base) ? base : [], intent, live);
    }
    return this.#leaf(path, base, intent, live);
  }

  #rule(path: FieldPath, ...sides: readonly Maybe[]) {
    return this.#options.rules(path, sides.filter(isList));
  }

  #leaf(path: FieldPath, base: Maybe, intent: Json, live: Json): Maybe {
    if (equalsStored(live, intent)) {
      this.#recordPreexisting(path, equalsStored(live, base) ? base : undefined);
      return live;
    }
    if (equalsStored(live, base) && !this.#isOwned(path)) return intent === null ? undefined : withoutNulls(intent);
    this.contested.push({ path, field: formatPath(path), live, intent });
    if (this.#options.yields?.(path)) {
      this.yielded.push(path);
      return live;
    }
    return intent === null ? undefined : withoutNulls(intent);
  }

  /** Merges a declared null: this manager wants no value of its own here. */
  #nothing(path: FieldPath, base: Maybe, live: Json): Maybe {
    const isShared = isJsonObject(live) || (isList(live) && this.#rule(path, base, live).type !== 'atomic');
    return isShared ? this.#released(path, base, live) : this.#leaf(path, base, null, live);
  }

  #items(path: FieldPath, rule: ItemRule, base: readonly Json[], intent: readonly Json[], live: readonly Json[]): Maybe {
    const [before, declared, now] = itemsOfSides(rule, [base, intent, live]) as [readonly Item[], readonly Item[], readonly Item[]];
    requireUnambiguous(rule, declared, formatPath(path));
    const [known, wanted, present] = [byElement(before), byElement(declared), byElement(now)];
    const result: Json[] = [];
    for (const item of now) {
      const text = elementText(item.element);
      const [last, want] = [known.get(text)?.[0]?.value, wanted.get(text)?.[0]?.value];
      const several = present.get(text) ?? [];
      if (item.element === undefined || (last === undefined && want === undefined)) result.push(item.value);
      else if (want === undefined)
        result.push(...this.#releasedItem([...path, item.element], last as Json, item.value, rule, several.length > 1));
      else if (several.length === 1) result.push(this.#item([...path, item.element], last, want, item.value, rule));
      else if (several[0] === item) result.push(...this.#several([...path, item.element], want, several));
    }
    const added = [...wanted].filter(([text]) => !present.has(text)).map(([, items]) => withoutNulls(items[0]?.value as Json));
    if (added.length === 0 && result.length === live.length && result.every((value, index) => value === live[index])) return live;
    return [...result, ...added];
  }

  #item(path: FieldPath, base: Maybe, intent: Json, live: Json, rule: ItemRule): Json {
    this.#recordPreexisting(path, base);
    if (!isJsonObject(intent) || !isJsonObject(live)) return live;
    return this.members(path, base, intent, live, namesOf(rule, live));
  }

  /** Merges duplicate items, which cannot be matched one by one: the declared item replaces all of them. */
  #several(path: FieldPath, intent: Json, items: readonly Item[]): readonly Json[] {
    const live = items.map(({ value }) => value);
    if (live.every((value) => equalsStored(value, intent))) return live;
    this.contested.push({ path, field: formatPath(path), live, intent });
    if (!this.#options.yields?.(path)) return [withoutNulls(intent)];
    this.yielded.push(path);
    return live;
  }

  #released(path: FieldPath, base: Maybe, live: Maybe): Maybe {
    if (isAbsent(base) || isAbsent(live)) return live;
    if (isJsonObject(base) && isJsonObject(live)) {
      const rest = this.members(path, base, {}, live, []);
      const isOurs = Object.keys(rest).length === 0 && (rest !== live || Object.keys(base).length === 0);
      return isOurs && !this.#isOwned(path) ? undefined : rest;
    }
    if (isList(base) && isList(live)) {
      const rule = this.#rule(path, base, live);
      if (rule.type !== 'atomic') {
        const rest = this.#items(path, rule, base, [], live) as readonly Json[];
        return rest.length === 0 && rest !== live && !this.#isOwned(path) ? undefined : rest;
      }
    }
    if (this.#isOwned(path)) return this.#retain(path, live, 'owned');
    return equalsStored(live, base) ? undefined : this.#retain(path, live, 'changed');
  }

  #releasedItem(path: FieldPath, base: Json, live: Json, rule: ItemRule, isOneOfSeveral: boolean): readonly Json[] {
    if (this.#isOwned(path)) {
      this.#retain(path, live, 'owned');
      return [isJsonObject(live) ? this.members(path, base, {}, live, namesOf(rule, live)) : live];
    }
    if (isOneOfSeveral && !equalsStored(live, base)) return [this.#retain(path, live, 'changed')];
    this.collateral.push(...foreignValues(path, base, live, this.#options.rules));
    return [];
  }

  #retain(path: FieldPath, live: Json, because: RetainedField['reason']): Json {
    this.retained.push({ path, field: formatPath(path), live, reason: because });
    return live;
  }

  /**
   * Records fields that existed before this manager declared them without a lasting record of their owner, and those that were recorded as
   * such before.
   */
  #recordPreexisting(path: FieldPath, base: Maybe): void {
    const existedBefore = isAbsent(base) && this.#options.introduced?.(path) !== true;
    if (this.#wasPreexisting(path) || existedBefore || this.#options.isDeclaredAsWhole?.(path) === true) this.preexisting.push(path);
  }

  #isOwned(path: FieldPath): boolean {
    return this.#wasPreexisting(path) || this.#options.isOwnedByOthers?.(path) === true;
  }

  #wasPreexisting(path: FieldPath): boolean {
    return this.#options.preexisting !== undefined && has(this.#options.preexisting, path);
  }
}

/** Returns the fields that name an item. A field with its default may be absent without changing the item's identity. */
function namesOf(rule: ItemRule, item: JsonObject): readonly string[] {
  return rule.type === 'set'
    ? []
    : rule.keys.filter((name) => rule.defaults?.[name] === undefined || rule.defaults[name] !== own(item, name));
}

function own(map: JsonObject, name: string): Maybe {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
