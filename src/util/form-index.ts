import type { ValueForm } from './value-forms.js';

/** The length of the shortest text: one character in quotes. */
const prefixLength = 3;

/** More texts of one beginning are found by their lengths. */
const maxListed = 16;

/** The texts of one beginning by their lengths, the greatest length first. */
type ByLength = Map<number, Set<string>>;

/** A place where a form was found. */
export interface FoundForm {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds forms of values in a text, each character looked up once: by the first characters of the forms. A regular expression of them all
 * would be too large. A form can be added at any time.
 */
export class FormIndex {
  readonly #byStart = new Map<number, string | string[] | ByLength>();
  readonly #open = new Map<string, NonNullable<ValueForm['open']>>();

  get isEmpty(): boolean {
    return this.#byStart.size === 0;
  }

  add({ text, open }: ValueForm): void {
    if (text.length < prefixLength) return;
    if (open?.before || open?.after) this.#open.set(text, open);
    const start = startAt(text, 0);
    const others = this.#byStart.get(start);
    if (others === undefined) this.#byStart.set(start, text);
    else if (typeof others === 'string') {
      if (others !== text) this.#byStart.set(start, longestFirst([others, text]));
    } else if (others instanceof Map) addByLength(others, text);
    else if (!others.includes(text)) {
      const all = longestFirst([...others, text]);
      this.#byStart.set(start, all.length > maxListed ? byLength(all) : all);
    }
  }

  /**
   * Returns a text with a replacement for each form that has at least a length, the longest at each place.
   *
   * @param stays returns true for a place that stays as it is.
   */
  replace(text: string, minLength: number, replacement: string, stays: (place: FoundForm) => boolean = () => false): string {
    const shown: string[] = [];
    let kept = 0;
    for (let at = 0; at <= text.length - prefixLength; ) {
      const found = this.#findAt(text, at, minLength);
      if (found === undefined) {
        at += 1;
        continue;
      }
      if (stays(found)) {
        at = found.end;
        continue;
      }
      // Values beside each other are one replacement: their number says nothing.
      if (shown.length === 0 || found.start > kept) shown.push(text.slice(kept, found.start), replacement);
      at = found.end;
      kept = at;
    }
    return shown.length === 0 ? text : shown.join('') + text.slice(kept);
  }

  #findAt(text: string, at: number, minLength: number): FoundForm | undefined {
    const candidates = this.#byStart.get(startAt(text, at));
    if (candidates === undefined) return undefined;
    const known = longestAt(candidates, text, at);
    if (known === undefined || known.length < minLength) return undefined;
    const open = this.#open.get(known);
    const start = open?.before && isBase64(text, at - 1) ? at - 1 : at;
    let end = at + known.length;
    if (open?.after && isBase64(text, end)) end += 1;
    while (open && text[end] === '=') end += 1;
    return { start, end };
  }
}

function startAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1)) * 0x10000 + text.charCodeAt(at + 2);
}

function longestAt(candidates: string | readonly string[] | ByLength, text: string, at: number): string | undefined {
  if (typeof candidates === 'string') return text.startsWith(candidates, at) ? candidates : undefined;
  if (!(candidates instanceof Map)) return candidates.find((candidate) => text.startsWith(candidate, at));
  for (const [length, texts] of candidates) {
    const part = text.slice(at, at + length);
    if (texts.has(part)) return part;
  }
  return undefined;
}

function longestFirst(texts: string[]): string[] {
  return texts.sort((left, right) => right.length - left.length);
}

function byLength(texts: readonly string[]): ByLength {
  const found: ByLength = new Map();
  for (const text of texts) found.set(text.length, (found.get(text.length) ?? new Set()).add(text));
  return found;
}

function addByLength(found: ByLength, text: string): void {
  const same = found.get(text.length);
  if (same) {
    same.add(text);
    return;
  }
  const all = [...found, [text.length, new Set([text])] as const].sort(([left], [right]) => right - left);
  found.clear();
  for (const [length, texts] of all) found.set(length, texts);
}

function isBase64(text: string, at: number): boolean {
  return /[A-Za-z0-9+/_-]/.test(text.charAt(at));
}
