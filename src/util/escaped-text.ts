/** A text with its escapes decoded, and the part of the original that each of its characters stands for. */
interface DecodedText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** A part of a text, from its first character to the one behind it. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Escapes of URLs, of HTML, and of JSON and programs. */
const escapes = /%[0-9A-Fa-f]{2}|&#[xX][0-9A-Fa-f]{1,6};|&#[0-9]{1,7};|&[A-Za-z]{2,8};|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\["'\\/]/g;

const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", sol: '/', bsol: '\\', plus: '+', equals: '=', percnt: '%', colon: ':' },
  ...{ num: '#', semi: ';', commat: '@', excl: '!', dollar: '$', ast: '*', lowbar: '_', period: '.', comma: ',', quest: '?' },
};

/** How often a text may be escaped: a gateway escapes what a server has escaped. */
const maxRounds = 3;

/** Messages are shorter. */
const maxLength = 200_000; // characters

/**
 * Finds a text in another one where any of its characters are escaped, in any notation and case: as `a%2fb`, `a&#x2F;b` or `a\u002fb`.
 *
 * @param isShown returns false for a place in a decoded text that does not count.
 */
export function escapedSpans(text: string, wanted: string, isShown: (decoded: string, at: number) => boolean): readonly Span[] {
  if (text.length > maxLength || !/[%&\\]/.test(text)) return [];
  const bytes = Buffer.from(wanted).toString('latin1'); // as percent-encoding has it
  const searched = bytes === wanted ? [wanted] : [wanted, bytes];
  const spans: Span[] = [];
  let decoded: DecodedText = { text, starts: indices(text.length, 0), ends: indices(text.length, 1) };
  for (let round = 0; round < maxRounds; round++) {
    const next = decodedOnce(decoded);
    if (next.text.length === decoded.text.length) break;
    decoded = next;
    for (const one of searched) {
      for (let at = decoded.text.indexOf(one); at >= 0; at = decoded.text.indexOf(one, at + one.length)) {
        if (isShown(decoded.text, at)) spans.push({ from: decoded.starts[at] as number, to: decoded.ends[at + one.length - 1] as number });
      }
    }
  }
  return spans;
}

function indices(length: number, first: number): readonly number[] {
  return Array.from({ length }, (_, index) => index + first);
}

function decodedOnce({ text, starts, ends }: DecodedText): DecodedText {
  const parts: string[] = [];
  const newStarts: number[] = [];
  const newEnds: number[] = [];
  const copy = (from: number, to: number) => {
    parts.push(text.slice(from, to));
    for (let index = from; index < to; index++) {
      newStarts.push(starts[index] as number);
      newEnds.push(ends[index] as number);
    }
  };
  let from = 0;
  for (const { 0: found, index } of text.matchAll(escapes)) {
    const character = characterOf(found);
    if (character === undefined) continue;
    copy(from, index);
    from = index + found.length;
    parts.push(character);
    newStarts.push(starts[index] as number);
    newEnds.push(ends[from - 1] as number);
  }
  copy(from, text.length);
  return { text: parts.join(''), starts: newStarts, ends: newEnds };
}

/** Returns the UTF-16 unit that an escape stands for; undefined for one that stands for none, or for two. */
function characterOf(found: string): string | undefined {
  if (found.startsWith('%')) return unit(found.slice(1), 16);
  if (found.startsWith('&#')) return /^&#x/i.test(found) ? unit(found.slice(3, -1), 16) : unit(found.slice(2, -1), 10);
  if (found.startsWith('&')) return Object.hasOwn(entities, found.slice(1, -1)) ? entities[found.slice(1, -1)] : undefined;
  return /^\\[ux]/.test(found) ? unit(found.slice(2), 16) : found.slice(1);
}

function unit(digits: string, base: number): string | undefined {
  const code = Number.parseInt(digits, base);
  return code > 0xffff ? undefined : String.fromCharCode(code);
}
