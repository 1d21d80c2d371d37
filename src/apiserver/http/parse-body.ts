import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json } from '../../util/json.js';
import { readJson } from '../api/json-text.js';
import { sorted } from '../patch/patched-text.js';

/** `sorted-yaml`: the server reads an object of YAML as JSON whose members are sorted. Source: observed. */
export type BodyFormat = 'json' | 'yaml' | 'sorted-yaml';

export interface ParsedBody {
  readonly value: Json;
  /** Paths of members that a JSON text contains twice, or messages about those of a YAML text. */
  readonly duplicateFields: readonly string[];
}

/** Reads the text of a body. @throws JsonTextError, YamlTextError */
export async function parseBody(text: string, format: BodyFormat): Promise<ParsedBody> {
  if (format !== 'json') {
    const { readYaml } = await import('./yaml-body.js');
    const body = readYaml(text);
    return format === 'yaml' ? body : { ...body, value: sorted(body.value) };
  }
  const value = readJson(text);
  return { value, duplicateFields: isJsonObject(value) || Array.isArray(value) ? duplicateKeys(text, value) : [] };
}

/** Returns the paths of members that a JSON text contains twice; `value` is the parsed text. */
export function duplicateKeys(text: string, value: Json): readonly string[] {
  // Most bodies are serialized without spaces, and comparing such a body is much faster than parsing it again.
  if (stringifyExactJson(value) === text) return [];
  const duplicates: string[] = [];
  const frames: { readonly keys: Set<string> | undefined; path: string; index: number }[] = [];
  const tokens = /"((?:[^"\\]|\\.)*)(?:"(\s*:)?)?|[[\]{},]/gs;
  let key = '';
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const top = frames.at(-1);
    const path =
      top === undefined
        ? ''
        : top.keys === undefined
          ? `${top.path}[${top.index}]`
          : key === ''
            ? top.path
            : top.path === ''
              ? key
              : `${top.path}.${key}`;
    if (match[0] === '{') frames.push({ keys: new Set(), path, index: 0 });
    else if (match[0] === '[') frames.push({ keys: undefined, path, index: 0 });
    else if (match[0] === '}' || match[0] === ']') frames.pop();
    else if (match[0] === ',') {
      if (top !== undefined) top.index += 1;
    } else if (match[2] !== undefined && top?.keys !== undefined) {
      key = JSON.parse(`"${match[1]}"`) as string;
      if (top.keys.has(key)) duplicates.push(top.path === '' ? key : `${top.path}.${key}`);
      top.keys.add(key);
    }
  }
  return duplicates;
}
