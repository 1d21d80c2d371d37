import type { FoundType, TypePosition } from './type-finder.js';
import { nameCandidates, withoutCombining } from './type-names.js';

/** The name that the uses of a type suggest, and the position whose path tells it apart from others that want the same name. */
export interface PartName {
  readonly word: string;
  readonly position: TypePosition;
}

/** The names that are wanted for a type whose source has none. */
export interface WantedNames {
  /** The name that the built-in API has for the shape. */
  readonly builtIn: string | undefined;
  readonly part: PartName;
}

/**
 * Chooses the name of a type by all properties whose values it is: the words with which most of these end, such as `Secret` for
 * `tokenSecret` and `passwordSecret`, unless that is one word that says no more than `Ref` or `Config`. Of several with as many uses, one that
 * another ends with is left out, and the one nearest to the kind wins, then the shortest.
 */
export function partName({ uses, position }: FoundType): PartName {
  const ends = new Map<string, { count: number; position: TypePosition }>();
  for (const [word, use] of uses) {
    const parts = partsOf(word);
    for (let start = 0; start < parts.length; start++) {
      if (start > 0 && start === parts.length - 1 && vague.has((parts[start] as string).toLowerCase())) continue;
      const end = parts.slice(start).join('');
      const known = ends.get(end);
      ends.set(end, {
        count: (known?.count ?? 0) + use.count,
        position: known === undefined || isNearer(use.position, known.position) ? use.position : known.position,
      });
    }
  }
  const most = Math.max(0, ...[...ends.values()].map(({ count }) => count));
  const likely = [...ends].filter(([, { count }]) => count === most);
  const [best] = likely
    .filter(([end]) => !likely.some(([other]) => other !== end && other.endsWith(end)))
    .sort(([a, left], [b, right]) => left.position.steps.length - right.position.steps.length || a.length - b.length || (a < b ? -1 : 1));
  return best === undefined ? { word: '', position } : { word: best[0], position: best[1].position };
}

/** Yields names of a part, best first. */
export function partCandidates({ word, position }: PartName, numbers: Map<string, number>): Generator<string> {
  return nameCandidates(position.kind, [...withoutCombining(position.steps).slice(0, -1), { name: word, many: false }], numbers);
}

/** Words that do not say what a value is. */
const vague = new Set(
  'config configuration item key list name object option options ref reference selector setting settings spec value'.split(' '),
);

/** Splits a name in Pascal case: `AWSAuth` → `AWS`, `Auth`. */
function partsOf(word: string): readonly string[] {
  return word.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}\d]+|\d+|[\p{Lo}\p{Lm}\p{Nl}][\p{Lo}\p{Lm}\p{Nl}\p{M}]*/gu) ?? [];
}

function isNearer(left: TypePosition, right: TypePosition): boolean {
  return left.steps.length < right.steps.length || (left.steps.length === right.steps.length && left.path < right.path);
}
