import type { BuiltInShape, KeySuggestion, ListType, RootType, SampleList, SampleObject } from '../src/schema/index.js';
import { areAcceptedKeys, isBuiltIn, judgeBySamples, sampleLists, suggestKeys } from '../src/schema/index.js';

/** An atomic list of objects, whose items would have owners of their own if its type had keys. */
export interface ShareableList extends KeySuggestion {
  readonly path: string;
  /** True if the API server would accept these keys: each is required, or has a default. */
  readonly accepted: boolean;
  /** The surrounding atomic list or map, which has to become granular first. */
  readonly inside?: string;
  /** The surrounding atomic list or map that has to stay atomic: keys would have no effect. */
  readonly staysAtomic?: string;
  /**
   * The list type as `--list-type` takes it, such as `Gateway:.spec.listeners=map[name]`. Present only if it is safe to apply: the
   * confidence is high, the API server accepts it, and every surrounding list has such a type, too.
   */
  readonly listType?: string;
}

interface ListPosition {
  readonly path: string;
  readonly field: string;
  /** The author's text about the list. */
  readonly description?: string | undefined;
  readonly inside?: string;
  readonly staysAtomic?: string;
}

/** Suggests keys for the atomic lists of one kind. */
export class KeyAdvisor {
  readonly #root: RootType;
  readonly #shapes: readonly BuiltInShape[];
  readonly #samples: ReadonlyMap<string, readonly SampleList[]>;

  constructor(root: RootType, shapes: readonly BuiltInShape[], samples: readonly SampleObject[]) {
    this.#root = root;
    this.#shapes = shapes;
    this.#samples = sampleLists(root, samples);
  }

  advise(list: ListType, { path, field, description, inside, staysAtomic }: ListPosition): ShareableList {
    const suggestion = this.#suggest(list, field, path, description);
    return {
      path,
      ...suggestion,
      accepted: list.nullable !== true && areAcceptedKeys(this.#root.schema, list.element, suggestion.keys),
      ...(inside === undefined ? {} : { inside }),
      ...(staysAtomic === undefined ? {} : { staysAtomic }),
    };
  }

  #suggest(list: ListType, field: string, path: string, description: string | undefined): KeySuggestion {
    if (isBuiltIn(this.#root.apiVersion)) return { keys: [], confidence: 'none', reason: 'the type of a built-in list cannot be changed' };
    if (/^\.status\b/.test(path)) return { keys: [], confidence: 'none', reason: 'controllers write the status, stacks do not' };
    const suggestion = suggestKeys(this.#root.schema, field, list, this.#shapes, description);
    return judgeBySamples(suggestion, this.#root.schema, list.element, this.#samples.get(path));
  }
}

interface KindLists {
  readonly root: RootType;
  readonly lists: readonly ShareableList[];
  /** Paths of the lists that are not atomic. */
  readonly associative: ReadonlySet<string>;
}

/** Adds the list types that are safe to apply. A list type names the group and the version only if other kinds or versions differ. */
export function withListTypes(kinds: readonly KindLists[]): readonly (readonly ShareableList[])[] {
  const byPath = new Map(kinds.map((kind) => [kind, new Map(kind.lists.map((list) => [list.path, list]))]));
  return kinds.map(({ root, lists }) => {
    const named = kinds.filter((other) => other.root.kind === root.kind);
    const versions = named.filter((other) => groupOf(other.root) === groupOf(root));
    return lists.map((list) => {
      if (!isSafe(list)) return list;
      const same = versions.every((version) => {
        const other = byPath.get(version)?.get(list.path);
        if (other === undefined) return !version.associative.has(list.path);
        return isSafe(other) && other.keys.join() === list.keys.join();
      });
      const kind = !same ? `${root.kind}.${root.apiVersion}` : named.length > versions.length ? `${root.kind}.${groupOf(root)}` : root.kind;
      return { ...list, listType: `${kind}:${list.path}=map[${list.keys.join(',')}]` };
    });
  });
}

function isSafe({ confidence, accepted, staysAtomic }: ShareableList): boolean {
  return confidence === 'high' && accepted && staysAtomic === undefined;
}

function groupOf({ apiVersion }: RootType): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
}
