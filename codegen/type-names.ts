import { pascalCase } from '../src/schema/index.js';

/** One step of a field path, for naming. `many`: the step leads to items of a list or to values of a map. */
export interface NameStep {
  readonly name: string;
  readonly many: boolean;
}

// Names that need their parent's name to have a meaning.
const generic = new Set(['Spec', 'Status', 'Metadata', 'Item', 'Value']);

/**
 * Yields names for a type, best first: the last step alone (`.spec.listeners[]` → `Listener`), then more and more of its path, with the
 * kind in front. Steps directly below the kind always include it (`SharedGatewaySpec`).
 *
 * @param numbers the last tried number of each name, so that many types of one name need not try all numbers again
 */
export function* nameCandidates(kind: string, steps: readonly NameStep[], numbers = new Map<string, number>()): Generator<string> {
  const words = steps.map(({ name, many }) => pascalCase(many ? singular(name) : name)).filter((word) => word !== '');
  const kindName = pascalCase(kind);
  if (words.length > 1) {
    const last = words.at(-1) as string;
    if (!generic.has(last)) yield startWithLetter(last);
    for (let start = words.length - (generic.has(last) ? 2 : 1); start > 0; start--) {
      const tail = words.slice(start).join('');
      if (start < words.length - 1) yield startWithLetter(tail);
      yield kindName + tail;
    }
  }
  const full = kindName + words.join('');
  yield full;
  for (let number = numbers.get(full) ?? 2; ; number++) {
    numbers.set(full, number);
    yield `${full}${number}`;
  }
}

/** Returns the singular of a word: `listeners` → `listener`, `policies` → `policy`; other words are unchanged. */
export function singular(word: string): string {
  if (/(ss|us|is|tls|dns|ics|aws|ls|as)$/i.test(word) || word.length < 4) return word;
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(sses|shes|tches|xes|zes)$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

/** Returns a name that begins with a letter, as names of types do. */
export function startWithLetter(name: string): string {
  return /^[A-Za-z]/.test(name) ? name : `Type${name}`;
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
