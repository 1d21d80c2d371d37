import { ipVersion } from '../util/ip-address.js';

/** Spaces, a word, a quoted word, a text in brackets, or one other character. */
const part =
  /([ \t]+)|([\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)|("(?:[\t !#-[\]-~\u0080-\u{10ffff}]|\\[\t -~\u0080-\u{10ffff}])+")|\[([^[\]]*)\]|[\s\S]/uy;

/** A word in a character set that the server does not read. Source: RFC 2047; observed. */
const encodedWord = /^=\?(?!(?:utf-8|iso-8859-1|us-ascii)\?)[^?]+\?[bq]\?[^?]*\?=$/i;

/** A named group of one address. */
const group = /^ ?[wq.][wq. c]*:([^:;]*);[ c]*$/;
/** The name before an address in angle brackets. */
const name = /^ ?(?:[wq.][wq. c]*)?$/;
const local = /^ ?(?:[we](?:\.[we])*|q)$/;
/** The domain of an address, the end of its brackets, and comments. */
const domain = /^ ?(?:[we](?:\.[we])*|d)(>?)[ c]*$/;

/** Returns true for one address of mail, with or without a name, or in a group. Source: RFC 5322, section 3.4; observed. */
export function isEmailAddress(text: string): boolean {
  const shape = shapeOf(text);
  const [before = '', behind = '', ...more] = (group.exec(shape)?.[1] ?? shape).split('@');
  const bracket = before.indexOf('<');
  const end = domain.exec(behind)?.[1];
  const isBracketed = bracket >= 0 && name.test(before.slice(0, bracket)) && end === '>';
  return more.length === 0 && local.test(before.slice(bracket + 1)) && (isBracketed || (bracket < 0 && end === ''));
}

/**
 * Returns a letter for each part: a space, `w`ord, `e`ncoded word, `q`uoted word, `d`omain, `c`omment, and signs as they are. Ends with `!` at the
 * first part that no address has, so that no text is searched twice for the end of a comment or a quoted word.
 */
function shapeOf(text: string): string {
  let shape = '';
  for (let at = 0; at < text.length; ) {
    const end = text[at] === '(' ? endOfComment(text, at) : undefined;
    part.lastIndex = at;
    const [all = '', space, word, quoted, domain] = end === undefined ? (part.exec(text) ?? []) : [];
    if (end !== undefined) shape += 'c';
    else if (space !== undefined) shape += ' ';
    else if (word !== undefined) shape += encodedWord.test(word) ? 'e' : 'w';
    else if (quoted !== undefined) shape += 'q';
    else if (domain !== undefined && !domain.includes('%') && ipVersion(domain) > 0) shape += 'd';
    else if (signs.has(all)) shape += all;
    else return `${shape}!`;
    at = end ?? at + all.length;
  }
  return shape;
}

const signs: ReadonlySet<string> = new Set('.@<>:;');

/** Returns where a comment ends, which may have others in it; undefined where it does not. */
function endOfComment(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return at + 1;
  }
  return undefined;
}
