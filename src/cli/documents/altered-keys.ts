import type { Alteration } from '../../app/included-alterations.js';
import { isJsonObject, isList, type Json } from '../../util/json.js';
import { plainScalar } from '../../util/yaml-scalar.js';
import type { DocumentText } from './split-documents.js';

/** Matches text that may have such a key, in one quick pass. */
const suspicious = /(?:^|[^\w"'])(?:[yYnN]|[yY]es|YES|[nN]o|NO|[oO]n|ON|[oO]ff|OFF)[ \t]*(?::\s|[\n#,}])/;

/** A key that is a word of YAML 1.1 for true or false, at the beginning of a line or within braces, with `?` before it or `:` behind it. */
const word =
  /(?:^[ \t]*(?:- +)*|[{,][ \t]*)(?:(?:\? +)?(y|n|yes|no|on|off)[ \t]*:(?=\s|$)|\? +(y|n|yes|no|on|off)(?=[ \t]*(?:#.*)?$|[ \t]*[,}]))/gim;

/** Returns warnings for keys such as `n:`, which kubectl reads as `"false":` too, and which nobody means. */
export function alteredKeys(
  { text, line }: Pick<DocumentText, 'text' | 'line'>,
  value: Json,
  location: string,
): readonly (Alteration & { location: string })[] {
  if (!suspicious.test(text) || !hasBooleanKey(value)) return [];
  const found = [...text.matchAll(word)];
  return found.map(({ 0: all, 1: implicit, 2: explicit, index }) => {
    const key = implicit ?? explicit ?? '';
    return {
      document: 0,
      location: `${location}:${line + text.slice(0, index + all.length).split('\n').length - 1}`,
      message: `the key ${key} is read as ${JSON.stringify(String(plainScalar(key)))}, its value in YAML 1.1; write it in quotes`,
    };
  });
}

/** Returns true if a value has such a key: the text alone may also be that of a script. */
function hasBooleanKey(value: Json | undefined): boolean {
  if (isList(value)) return value.some(hasBooleanKey);
  if (!isJsonObject(value)) return false;
  for (const name in value) if (name === 'true' || name === 'false' || hasBooleanKey(value[name])) return true;
  return false;
}
