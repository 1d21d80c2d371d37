import { unquote } from '../../fields/index.js';
import type { ContestedField, ContestingOwner } from './conflict-text.js';

const owner =
  /\s{0,200}conflicts?\s{1,200}with\s{1,200}("(?:[^"\\\n]|\\.)*")(?:\s{1,200}with\s{1,200}subresource\s{1,200}("(?:[^"\\\n]|\\.)*"))?(\s{1,200}using\s{1,200}[\w./-]+)?(?:\s{1,200}at\s{1,200}([\dTZ+-]+(?::[\dTZ+-]+){0,3}))?:/y;
/** A text that names an owner is shorter: a field manager has at most 128 characters. */
const maxOwnerText = 8192;

const item = /\s{0,200}- (?=[.[])/y;

/**
 * Reads the owners and fields at the start of a message of the server: `conflict with "m" using apps/v1: .spec.replicas`, or a list of fields
 * for each of several owners, one below the other or, in a log, in one line.
 */
export function readContestedFields(message: string): readonly ContestedField[] {
  const fields: ContestedField[] = [];
  let at = 0;
  for (;;) {
    owner.lastIndex = 0;
    const found = owner.exec(message.slice(at, at + maxOwnerText));
    if (found === null) return fields;
    at += owner.lastIndex;
    const by = ownerOf(found);
    const rest = readItems(message, at);
    const paths = rest.paths.length > 0 ? rest : readOne(message, at);
    for (const field of paths.paths) fields.push({ field, ...by });
    at = paths.end;
  }
}

function ownerOf([, manager = '', subresource, using, time]: RegExpExecArray): ContestingOwner {
  return {
    manager: unquote(manager),
    operation: using === undefined ? 'Apply' : 'Update',
    ...(subresource === undefined ? {} : { subresource: unquote(subresource) }),
    ...(time === undefined ? {} : { time }),
  };
}

interface Paths {
  readonly paths: readonly string[];
  readonly end: number;
}

function readItems(message: string, start: number): Paths {
  const paths: string[] = [];
  let end = start;
  for (;;) {
    item.lastIndex = end;
    const found = item.exec(message);
    if (found === null) return { paths, end };
    const from = item.lastIndex;
    // Below each other, a path has its line to itself, so that keys of maps may contain spaces.
    end = found[0].includes('\n') ? endOfLine(message, from) : endOfPath(message, from);
    paths.push(message.slice(from, end).trimEnd());
  }
}

function readOne(message: string, start: number): Paths {
  let from = start;
  while (from < message.length && /\s/.test(message[from] as string)) from++;
  if (message[from] !== '.' && message[from] !== '[') return { paths: [], end: start };
  const end = endOfPath(message, from);
  return { paths: [message.slice(from, end).replace(/["',;)}]{1,9}$/, '')], end };
}

function endOfLine(message: string, from: number): number {
  const end = message.indexOf('\n', from);
  return end < 0 ? message.length : end;
}

/** Returns the end of a path: the first space that is not in a quoted key. */
function endOfPath(message: string, from: number): number {
  let inKeys = false;
  let inQuotes = false;
  for (let at = from; at < message.length; at++) {
    const character = message[at] as string;
    if (inQuotes) {
      if (character === '\\') at++;
      else if (character === '"') inQuotes = false;
    } else if (character === '"' && inKeys) inQuotes = true;
    else if (character === '[') inKeys = true;
    else if (character === ']') inKeys = false;
    else if (/\s/.test(character) || character === '"') return at;
  }
  return message.length;
}
