import { hidesGlobal } from './hides-global.js';
import type { LockedNames, PlannedType } from './module-plan.js';
import type { WantedNames } from './part-names.js';
import type { FoundType } from './type-finder.js';
import { constructorName, type NameRegistry, startWithLetter } from './type-names.js';

/**
 * Returns further names for types of a module: one for each property whose value has the type although the type's name says another thing, as
 * far as the name is free. A type at `excluded` and `permitted` is one type, and a program that declares `permitted` calls `permitted()`.
 * Those of an earlier run stay.
 */
export function aliasesOf(
  found: readonly FoundType[],
  named: readonly PlannedType[],
  wanted: ReadonlyMap<string, WantedNames>,
  earlier: ReadonlyMap<string, string>,
  taken: NameRegistry,
): ReadonlyMap<string, string> {
  const aliases = new Map(earlier);
  const bases = new Map(named.map(({ id, base }) => [id, base]));
  const misnamed = found.flatMap((entry) => {
    const base = bases.get(entry.id);
    // The names that a source or the built-in API gives are right everywhere.
    if (base === undefined || entry.sourceName !== undefined || wanted.get(entry.id)?.builtIn === base) return [];
    return [...entry.uses].filter(([word]) => says(base, word)).map(([word, { count }]) => ({ base, word: startWithLetter(word), count }));
  });
  misnamed.sort((a, b) => b.count - a.count || compare(a.word, b.word) || compare(a.base, b.base));
  for (const { base, word } of misnamed) {
    if (/^[A-Za-z][A-Za-z0-9]*$/.test(word) && taken.isFree(word) && !hidesGlobal(constructorName(word))) {
      aliases.set(taken.reserve(word), base);
    }
  }
  return new Map([...aliases].sort(([a], [b]) => compare(a, b)));
}

/** Reserves the aliases of an earlier run whose types still stand below such a property, before new types choose their names. */
export function lockedAliases(
  found: readonly FoundType[],
  lockedNames: ReadonlyMap<string, { readonly base: string }>,
  locked: LockedNames[string] | undefined,
  taken: NameRegistry,
): ReadonlyMap<string, string> {
  const words = new Map<string, ReadonlySet<string>>();
  for (const { id, uses } of found) {
    const base = lockedNames.get(id)?.base;
    if (base !== undefined) words.set(base, new Set([...uses.keys()].map(startWithLetter)));
  }
  const aliases = new Map<string, string>();
  for (const [alias, base] of Object.entries(locked ?? {}).toSorted(([a], [b]) => compare(a, b))) {
    if (words.get(base)?.has(alias) && /^[A-Za-z][A-Za-z0-9]*$/.test(alias) && taken.isFree(alias)) aliases.set(taken.reserve(alias), base);
  }
  return aliases;
}

/** Returns true if a property of this word expects another name than that of the type. */
function says(base: string, word: string): boolean {
  const [name, property] = [base.toLowerCase(), word.toLowerCase()];
  return !name.includes(property) && !property.includes(name);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
