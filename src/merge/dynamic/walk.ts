import { type FieldPath, formatPath, has } from '../../fields/index.js';
import { isJsonObject, isList, type Json, type JsonObject } from '../../util/json.js';
import { foreignIn } from './foreign.js';
import { byElement, checkDeclared, type Item, type ItemRule, itemsOfSides, textOf } from './items.js';
import { isAbsent, withoutNulls } from './presence.js';
import { equalsRemembered } from './remembered.js';
import type { ContestedField, KeptField, ThreeWay, VanishingValue } from './three-way-result.js';

type Maybe = Json | undefined;

/** One way through the three sides of an object; gathers what it meets. Undefined as a result is: not there. */
export class ThreeWayWalk {
  readonly contested: ContestedField[] = [];
  readonly vanishing: VanishingValue[] = [];
  readonly kept: KeptField[] = [];
  readonly joined: FieldPath[] = [];
  readonly yielded: FieldPath[] = [];
  readonly #given: Pick<ThreeWay, 'rules' | 'keep' | 'brought' | 'declaredInWhole' | 'joined' | 'yields'>;

  constructor(given: Pick<ThreeWay, 'rules' | 'keep' | 'brought' | 'declaredInWhole' | 'joined' | 'yields'>) {
    this.#given = given;
  }

  /** @param keys fields that name the item that these are members of: they are not released. */
  members(path: FieldPath, base: Maybe, intent: JsonObject, live: JsonObject, keys: readonly string[]): JsonObject {
    const before = isJsonObject(base) ? base : {};
    const names = new Set([...Object.keys(intent), ...Object.keys(before).filter((name) => !keys.includes(name))]);
    const changed = new Map<string, Maybe>();
    for (const name of names) {
      const now = own(live, name);
      if (keys.includes(name) && equalsRemembered(now, own(intent, name))) continue;
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
      // A map is as good as ours once nothing of others is in it, unless it was there while it was empty.
      this.#join(path, Object.keys(live).length === 0 ? base : intent);
      return this.members(path, base, intent, live, []);
    }
    if (isList(intent) && isList(live)) {
      const rule = this.#rule(path, base, intent, live);
      if (rule.type !== 'atomic') return this.#items(path, rule, isList(base) ? base : [], intent, live);
    }
    return this.#leaf(path, base, intent, live);
  }

  #rule(path: FieldPath, ...sides: readonly Maybe[]) {
    return this.#given.rules(path, sides.filter(isList));
  }

  #leaf(path: FieldPath, base: Maybe, intent: Json, live: Json): Maybe {
    if (equalsRemembered(live, intent)) {
      this.#join(path, equalsRemembered(live, base) ? base : undefined);
      return live;
    }
    if (equalsRemembered(live, base) && !this.#isHeld(path)) return intent === null ? undefined : withoutNulls(intent);
    this.contested.push({ path, field: formatPath(path), live, intent });
    if (this.#given.yields?.(path)) {
      this.yielded.push(path);
      return live;
    }
    return intent === null ? undefined : withoutNulls(intent);
  }

  /** A declared null: nothing of ours is to be here. */
  #nothing(path: FieldPath, base: Maybe, live: Json): Maybe {
    const isShared = isJsonObject(live) || (isList(live) && this.#rule(path, base, live).type !== 'atomic');
    return isShared ? this.#released(path, base, live) : this.#leaf(path, base, null, live);
  }

  #items(path: FieldPath, rule: ItemRule, base: readonly Json[], intent: readonly Json[], live: readonly Json[]): Maybe {
    const [before, declared, now] = itemsOfSides(rule, [base, intent, live]) as [readonly Item[], readonly Item[], readonly Item[]];
    checkDeclared(rule, declared, formatPath(path));
    const [known, wanted, present] = [byElement(before), byElement(declared), byElement(now)];
    const result: Json[] = [];
    for (const item of now) {
      const text = textOf(item.element);
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
    this.#join(path, base);
    if (!isJsonObject(intent) || !isJsonObject(live)) return live;
    return this.members(path, base, intent, live, namesOf(rule, live));
  }

  /** Items that stand several times have no one to merge with: ours takes the place of all of them. */
  #several(path: FieldPath, intent: Json, items: readonly Item[]): readonly Json[] {
    const live = items.map(({ value }) => value);
    if (live.every((value) => equalsRemembered(value, intent))) return live;
    this.contested.push({ path, field: formatPath(path), live, intent });
    if (!this.#given.yields?.(path)) return [withoutNulls(intent)];
    this.yielded.push(path);
    return live;
  }

  #released(path: FieldPath, base: Maybe, live: Maybe): Maybe {
    if (isAbsent(base) || isAbsent(live)) return live;
    if (isJsonObject(base) && isJsonObject(live)) {
      const rest = this.members(path, base, {}, live, []);
      const isOurs = Object.keys(rest).length === 0 && (rest !== live || Object.keys(base).length === 0);
      return isOurs && !this.#isHeld(path) ? undefined : rest;
    }
    if (isList(base) && isList(live)) {
      const rule = this.#rule(path, base, live);
      if (rule.type !== 'atomic') {
        const rest = this.#items(path, rule, base, [], live) as readonly Json[];
        return rest.length === 0 && rest !== live && !this.#isHeld(path) ? undefined : rest;
      }
    }
    if (this.#isHeld(path)) return this.#keep(path, live, 'owned');
    return equalsRemembered(live, base) ? undefined : this.#keep(path, live, 'changed');
  }

  #releasedItem(path: FieldPath, base: Json, live: Json, rule: ItemRule, isOneOfSeveral: boolean): readonly Json[] {
    if (this.#isHeld(path)) {
      this.#keep(path, live, 'owned');
      return [isJsonObject(live) ? this.members(path, base, {}, live, namesOf(rule, live)) : live];
    }
    if (isOneOfSeveral && !equalsRemembered(live, base)) return [this.#keep(path, live, 'changed')];
    this.vanishing.push(...foreignIn(path, base, live, this.#given.rules));
    return [];
  }

  #keep(path: FieldPath, live: Json, because: KeptField['because']): Json {
    this.kept.push({ path, field: formatPath(path), live, because });
    return live;
  }

  /** Notes what was there before we declared it and is on nobody's lasting record, and what the memory knows to have been. */
  #join(path: FieldPath, base: Maybe): void {
    const wasThere = isAbsent(base) && this.#given.brought?.(path) !== true;
    if (this.#wasJoined(path) || wasThere || this.#given.declaredInWhole?.(path) === true) this.joined.push(path);
  }

  #isHeld(path: FieldPath): boolean {
    return this.#wasJoined(path) || this.#given.keep?.(path) === true;
  }

  #wasJoined(path: FieldPath): boolean {
    return this.#given.joined !== undefined && has(this.#given.joined, path);
  }
}

/** The fields that name an item; without one that has its default, the item is still the same. */
function namesOf(rule: ItemRule, item: JsonObject): readonly string[] {
  return rule.type === 'set'
    ? []
    : rule.keys.filter((name) => rule.defaults?.[name] === undefined || rule.defaults[name] !== own(item, name));
}

function own(map: JsonObject, name: string): Maybe {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
