import { parseExactJson } from '../util/exact-json.js';
import type { Json } from '../util/json.js';
import { lazyList } from '../util/lazy-list.js';

const lineFeed = 0x0a;
const comma = 0x2c;

/** The number of objects that are kept as they were parsed. Parsed, an object takes several times its text. */
const maxParsed = 1024;

/**
 * Returns the objects of a stack's file, as synth writes it: a list with one object per line. Each is parsed when it is asked for, from the bytes that
 * were compared with their digest, so that what follows in the file itself is never read.
 *
 * @returns undefined if the file is written in another way.
 */
export function objectsOnDemand(content: Buffer): readonly Json[] | undefined {
  const lines = linesOf(content);
  if (lines === undefined) return undefined;
  const parsed = new Map<number, Json>();
  return lazyList(lines.length / 2, (index) => {
    const known = parsed.get(index);
    if (known !== undefined) return known;
    const object = parseExactJson(content.toString('utf8', lines[index * 2], lines[index * 2 + 1]));
    if (parsed.size === maxParsed) parsed.delete(parsed.keys().next().value as number);
    parsed.set(index, object);
    return object;
  });
}

/** Returns the start and the end of each line between the brackets, without its comma. */
function linesOf(content: Buffer): Uint32Array | undefined {
  if (content.subarray(0, 2).toString('latin1') !== '[\n' || content.subarray(-3).toString('latin1') !== '\n]\n') return undefined;
  const last = content.length - 3;
  const bounds: number[] = [];
  for (let start = 2; start < last; ) {
    const end = content.indexOf(lineFeed, start);
    const isLast = end === last;
    if (!isLast && content[end - 1] !== comma) return undefined;
    bounds.push(start, isLast ? end : end - 1);
    start = end + 1;
  }
  return Uint32Array.from(bounds);
}
