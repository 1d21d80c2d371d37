import { singularize } from 'inflection';
import { pascalCase } from '../src/schema/index.js';

/** One step of a field path, for naming. `many`: the step leads to items of a list or to values of a map. */
export interface NameStep {
  readonly name: string;
  readonly many: boolean;
}

// Names that need their parent's name to have a meaning.
const generic = new Set(['Spec', 'Status', 'Metadata', 'Item', 'Value']);

/**
 * Yields names for a type, best first: the last step alone (`.spec.listeners[]` → `Listener`), with its parent, with the kind, then more and
 * more of its path. Steps directly below the kind always include it (`SharedGatewaySpec`).
 *
 * @param numbers the last tried number of each name, so that many types of one name need not try all numbers again
 */
export function* nameCandidates(kind: string, steps: readonly NameStep[], numbers = new Map<string, number>()): Generator<string> {
  const words = steps.map(stepWord).filter((word) => word !== '');
  const kindName = pascalCase(kind);
  const tail = (count: number) => words.slice(words.length - count).join('');
  for (let count = 1; count < words.length; count++) {
    const isGeneric = generic.has(words.at(-count) as string);
    if (!isGeneric) yield startWithLetter(tail(count));
    if (count > 1 && !generic.has(tail(count - 1))) yield kindName + tail(count - 1);
  }
  if (words.length > 1 && !generic.has(tail(words.length - 1))) yield kindName + tail(words.length - 1);
  const full = kindName + words.join('');
  yield full;
  for (let number = numbers.get(full) ?? 2; ; number++) {
    numbers.set(full, number);
    yield `${full}${number}`;
  }
}

// Fields that combine conditions, and do not say what these are.
const combining = new Set(['all', 'allOf', 'and', 'any', 'anyOf', 'none', 'noneOf', 'not', 'oneOf', 'or']);

/** Returns true for the name of a field that combines conditions, such as `any`. */
export function combinesConditions(field: string): boolean {
  return combining.has(field);
}

/**
 * Returns the steps without those at the end that combine conditions: `.spec.match.any[]` → `.spec.match[]`. The last step of the result
 * names what `any` and `all` have in common.
 */
export function withoutCombining(steps: readonly NameStep[]): readonly NameStep[] {
  const count = steps.findLastIndex(({ name }) => !combinesConditions(name)) + 1;
  if (count === 0 || count === steps.length) return steps;
  const many = steps.slice(count - 1).some((step) => step.many);
  return [...steps.slice(0, count - 1), { name: (steps[count - 1] as NameStep).name, many }];
}

/** Returns the word that a step gives for a name: that of one item, if it leads to items. */
export function stepWord({ name, many }: NameStep): string {
  return pascalCase(many ? singular(name) : name);
}

/** Returns the words of a name in camel case, in lower case: `bearerTokenSecret` → `bearer`, `token`, `secret`; `TLSConfig` → `tls`, `config`. */
export function wordsOf(name: string): readonly string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) ?? []).map((word) => word.toLowerCase());
}

/** Returns the singular of a word: `listeners` → `listener`, `hostAliases` → `hostAlias`; singulars and abbreviations are unchanged. */
export function singular(word: string): string {
  return /(tls|dns|aws|kms|nfs|https)$/i.test(word) ? word : singularize(word);
}

/** Returns a name that begins with a letter, as names of types do. */
export function startWithLetter(name: string): string {
  return /^[\p{L}\p{Nl}]/u.test(name) ? name : `Type${name}`;
}

/** Returns a name in camel case: `HTTPRoute` → `httpRoute`, `CSIDriver` → `csiDriver`, `Pod` → `pod`. */
export function camelCase(name: string): string {
  return name.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+$|^[A-Z]+(?=[0-9])|^[A-Z]/, (run) => run.toLowerCase());
}

// Words that cannot name a function of a module. Source: ECMAScript, reserved words in strict mode code.
const reserved = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for ' +
    'function if implements import in instanceof interface let new null package private protected public return static super switch ' +
    'this throw true try typeof undefined var void while with yield'
  ).split(' '),
);

/** Returns the constructor function of a type: its name in camel case, with `_` after a reserved word. */
export function constructorName(base: string): string {
  const name = camelCase(base);
  return reserved.has(name) ? `${name}_` : name;
}

/** Assigns names of types in one module, so that neither two types nor two constructors share one. */
export class NameRegistry {
  readonly #taken = new Set<string>();
  /** For `nameCandidates`: a taken name stays taken. */
  readonly numbers = new Map<string, number>();

  isFree(base: string): boolean {
    return !this.#taken.has(constructorName(base));
  }

  reserve(base: string): string {
    this.#taken.add(constructorName(base));
    return base;
  }

  /** Reserves and returns the first free candidate. */
  reserveFirstFree(candidates: Iterable<string>): string {
    for (const candidate of candidates) if (this.isFree(candidate)) return this.reserve(candidate);
    throw new Error('The name candidates ran out.');
  }
}
