import type { ObjectIdentity } from '../assembly/identity.js';

/** Words between the kind and the name of an object: `no PriorityClass with name high was found`. */
const fillers: ReadonlySet<string> = new Set(['with', 'name', 'named']);

/** How many words a kind may be written as: `service account`. */
const maxWordsOfKind = 3;

/** The message of a refusal, word by word: names of objects and kinds have no spaces, and servers put them in quotes or behind a colon. */
export class RefusalWords {
  readonly #words: readonly string[];
  /** The words of kinds, as far as they were asked for: positions behind each mention. */
  readonly #mentions = new Map<string, readonly number[]>();

  constructor(message: string) {
    this.#words = message
      .toLowerCase()
      .split(/[\s"'`,;()[\]{}=]+/)
      .map((word) => (word.endsWith(':') || word.endsWith('.') ? word.slice(0, -1) : word));
  }

  /** Returns true if the message has a kind in the singular or plural: `ServiceAccount`, `service account`, `serviceaccounts`. */
  mentions(kind: string): boolean {
    return this.#behind(kind).length > 0;
  }

  /** Returns true if the message has an object by its kind and its name. */
  names({ kind, namespace, name }: ObjectIdentity): boolean {
    const own = name.toLowerCase();
    const texts = new Set([own, ...(namespace === undefined ? [] : [`${namespace}/${own}`])]);
    return this.#behind(kind).some((position) => {
      let next = position;
      while (fillers.has(this.#words[next] ?? '')) next++;
      return texts.has(this.#words[next] ?? '') || this.#isJoined(kind, position - 1, texts);
    });
  }

  /** Returns true if the message is about a ResourceQuota. */
  namesQuota(name: string): boolean {
    return this.#words.some((word, index) => word === 'quota' && this.#words[index + 1] === name);
  }

  /** Returns true for one word with both, such as `ServiceAccount/web`. */
  #isJoined(kind: string, position: number, names: ReadonlySet<string>): boolean {
    const word = this.#words[position] ?? '';
    const at = word.indexOf('/');
    return at > 0 && formsOf(kind).has(word.slice(0, at)) && names.has(word.slice(at + 1));
  }

  #behind(kind: string): readonly number[] {
    const known = this.#mentions.get(kind);
    if (known !== undefined) return known;
    const forms = formsOf(kind);
    const found = this.#words.flatMap((_, start) =>
      Array.from({ length: maxWordsOfKind }, (_, index) => start + index + 1).filter((end) =>
        forms.has(singleWord(this.#words.slice(start, end).join(''))),
      ),
    );
    this.#mentions.set(kind, found);
    return found;
  }
}

/** Returns a word without the group of a resource, such as `roles.rbac.authorization.k8s.io`, and without a name behind a slash. */
function singleWord(word: string): string {
  return word.split(/[./]/, 1)[0] as string;
}

function formsOf(kind: string): ReadonlySet<string> {
  const one = kind.toLowerCase();
  return new Set([one, `${one}s`, `${one}es`, ...(one.endsWith('y') ? [`${one.slice(0, -1)}ies`] : [])]);
}
