import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { jsonForYaml } from '../util/json-for-yaml.js';

/**
 * Returns YAML that has the same meaning in YAML 1.1 (the parser of kubectl) and 1.2. The `yaml` package is not used, because it leaves byte
 * order marks, C1 controls and `<<` unquoted, which those parsers drop, reject or merge.
 * Source: YAML 1.1 type repository (bool, null, merge) and YAML 1.2.2, sections 5.1 and 7.3.3.
 */
export function yamlOf(object: JsonObject): string {
  return yamlWriter()(object);
}

/** Returns a writer for many objects, which caches the YAML of strings, because names and values repeat. */
export function yamlWriter(): (object: JsonObject) => string {
  const texts = new Map<string, string>();
  return (object) => {
    const out: Out = { lines: [], texts };
    emitMap(object, '', out, '');
    out.lines.push('');
    return out.lines.join('\n');
  };
}

interface Out {
  readonly lines: string[];
  /** The YAML of strings. */
  readonly texts: Map<string, string>;
}

/** The length of cached strings; longer ones rarely repeat. */
const longestKept = 100;

/** The roles of characters in a plain scalar, by their codes; all other characters have, or may have, a meaning in YAML. */
const plainRoles = { other: 0, start: 1, inner: 2, separator: 3 } as const;
const roles = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz/_') roles[character.charCodeAt(0)] = plainRoles.start;
for (const character of '0123456789.@%+=$()-') roles[character.charCodeAt(0)] = plainRoles.inner;
for (const character of ': ') roles[character.charCodeAt(0)] = plainRoles.separator;
/** Matches booleans and nulls of YAML 1.1 and 1.2, and `e0`, which some parsers read as a number without digits before the `e`. */
const reserved = /^(?:y|n|yes|no|on|off|true|false|null|e[-+]?[0-9_]*)$/i;
/** Matches characters that a parser may reject or change unless they are escaped; with the flag `u`, only unpaired surrogates match. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|\p{Surrogate}/u;
/** The number of characters in which parsers search the colon of a key without `?`. */
const longestPlainKey = 1000;

/** Appends the lines of a map: the first one begins with `first`, the others with `indent`. */
function emitMap(map: JsonObject, indent: string, out: Out, first: string): void {
  let lead = first;
  for (const name of Object.keys(map)) {
    const value = map[name];
    if (value === undefined) continue;
    const key = inline(name, out);
    if (key.length > longestPlainKey) {
      out.lines.push(`${lead}? ${key}`);
      emitValue(value, indent, out, `${indent}:`);
    } else {
      emitValue(value, indent, out, `${lead}${key}:`);
    }
    lead = indent;
  }
}

/** Appends the lines of a value after `lead`, which ends with the colon of its key. */
function emitValue(value: Json, indent: string, out: Out, lead: string): void {
  if (typeof value !== 'object' || value === null) {
    emitLeaf(value, indent, out, `${lead} `);
    return;
  }
  const below = `${indent}  `;
  if (isJsonObject(value) && !isEmpty(value)) {
    out.lines.push(lead);
    emitMap(value, below, out, below);
  } else if (Array.isArray(value) && value.length > 0) {
    out.lines.push(lead);
    for (const item of value as readonly Json[]) emitItem(item, below, out, below);
  } else {
    emitLeaf(value, indent, out, `${lead} `);
  }
}

function emitItem(item: Json, indent: string, out: Out, lead: string): void {
  if (typeof item !== 'object' || item === null) {
    emitLeaf(item, indent, out, `${lead}- `);
    return;
  }
  const below = `${indent}  `;
  if (isJsonObject(item) && !isEmpty(item)) {
    emitMap(item, below, out, `${lead}- `);
  } else if (Array.isArray(item) && item.length > 0) {
    let first = `${lead}- `;
    for (const inner of item as readonly Json[]) {
      emitItem(inner, below, out, first);
      first = below;
    }
  } else {
    emitLeaf(item, indent, out, `${lead}- `);
  }
}

function emitLeaf(value: Json, indent: string, out: Out, lead: string): void {
  if (typeof value === 'string' && isLiteral(value)) {
    const body = value.endsWith('\n') ? value.slice(0, -1) : value;
    out.lines.push(`${lead}|${body === value ? '-' : ''}`);
    for (const line of body.split('\n')) out.lines.push(line === '' ? '' : `${indent}  ${line}`);
  } else {
    out.lines.push(lead + inline(value, out));
  }
}

/** Returns true for text of several lines, such as scripts and certificates, that all parsers read the same as a literal block. */
function isLiteral(text: string): boolean {
  return text.includes('\n') && !/^[\s]|\n\n$|\n[ \t]+(?:\n|$)/.test(text) && !unprintable.test(text);
}

function inline(value: Json, { texts }: Out): string {
  if (typeof value === 'string') {
    const known = texts.get(value);
    if (known !== undefined) return known;
    const text = isPlain(value) && !reserved.test(value) ? value : quoted(value);
    if (value.length <= longestKept) texts.set(value, text);
    return text;
  }
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? '[]' : '{}';
}

/** Returns true for text that starts with a letter, has no special characters of YAML, and only single separators. One pass, for speed. */
function isPlain(text: string): boolean {
  if (roles[text.charCodeAt(0)] !== plainRoles.start) return false;
  let before: number = plainRoles.start;
  for (let index = 1; index < text.length; index++) {
    const role = roles[text.charCodeAt(index)] ?? plainRoles.other;
    if (role === plainRoles.other || (role === plainRoles.separator && before === plainRoles.separator)) return false;
    before = role;
  }
  return before !== plainRoles.separator;
}

function quoted(text: string): string {
  return jsonForYaml(JSON.stringify(text));
}

/** Formats a number: in YAML 1.1, an exponent needs a decimal point before it, such as `1.0e+21`. */
function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  return JSON.stringify(value).replace(/^(-?\d+)e/, '$1.0e');
}

function isEmpty(object: JsonObject): boolean {
  for (const name in object) if (object[name] !== undefined) return false;
  return true;
}
