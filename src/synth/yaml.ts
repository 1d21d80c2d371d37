import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { jsonForYaml } from '../util/json-for-yaml.js';

/**
 * YAML that reads the same by the rules of YAML 1.1 (kubectl's parser) and 1.2. An emitter of our own, because the `yaml` package
 * leaves byte order marks, C1 controls and `<<` unquoted, which those parsers drop, refuse or merge.
 * Source: YAML 1.1 type repository (bool, null, merge) and YAML 1.2.2, sections 5.1 and 7.3.3.
 */
export function yamlOf(object: JsonObject): string {
  return yamlWriter()(object);
}

/** Writes many objects: what their strings look like is worked out once, for names and values come again and again. */
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
  /** What strings are in YAML. */
  readonly texts: Map<string, string>;
}

/** Longer strings seldom come twice. */
const longestKept = 100;

/** What characters are in a plain scalar, by their codes: those that are not here mean something to YAML, or may. */
const plainRoles = { other: 0, start: 1, inner: 2, separator: 3 } as const;
const roles = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz/_') roles[character.charCodeAt(0)] = plainRoles.start;
for (const character of '0123456789.@%+=$()-') roles[character.charCodeAt(0)] = plainRoles.inner;
for (const character of ': ') roles[character.charCodeAt(0)] = plainRoles.separator;
/** What YAML 1.1 or 1.2 takes for a boolean or null; and `e0`, which some parsers take for a number without digits before the `e`. */
const reserved = /^(?:y|n|yes|no|on|off|true|false|null|e[-+]?[0-9_]*)$/i;
/** Characters that a parser may refuse or change outside of escapes; surrogates belong to pairs and are looked at apart. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|\p{Surrogate}/u;
/** Parsers look for the colon of a key that is not marked with `?` in this many characters. */
const longestPlainKey = 1000;

/** Each emitter appends lines; `first` stands in front of the first one, `indent` in front of the others. */
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

/** A value after `lead`, which ends in the colon of its key. */
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

/** Several lines of text, as scripts and certificates are: shown as they are, where no parser can take them differently. */
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
  if (value === null || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? '[]' : '{}';
}

/** Starts with a letter, has no character that means anything to YAML, and single separators inside. One pass: texts are long. */
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

/** YAML 1.1 takes an exponent for a number only after a decimal point: `1.0e+21`. */
function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  return JSON.stringify(value).replace(/^(-?\d+)e/, '$1.0e');
}

function isEmpty(object: JsonObject): boolean {
  for (const name in object) if (object[name] !== undefined) return false;
  return true;
}
