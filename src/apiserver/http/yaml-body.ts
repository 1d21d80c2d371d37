import { load, type State, YAMLException } from 'js-yaml';
import type { Json } from '../../util/json.js';
import { plainScalar } from '../../util/yaml-scalar.js';
import { yamlSchemaOf } from '../../util/yaml-schema.js';
import { YamlTextError } from '../../util/yaml-text-error.js';
import { checkAliases } from './yaml-aliases.js';
import { firstDocument } from './yaml-document.js';
import { checkEscapes } from './yaml-escapes.js';

/** Source: observed. */
const maxDepth = 10_000;

export interface YamlBody {
  readonly value: Json;
  /** Duplicate members: `line 7: key "title" already set in map`. */
  readonly duplicateFields: readonly string[];
}

/** Reads the first document of a YAML text. @throws YamlTextError */
export function readYaml(text: string): YamlBody {
  const source = firstDocument(text);
  try {
    const value = load(source, { ...options, json: false });
    checkEscapes(source);
    return { value: checkAliases(source, toJson(value)), duplicateFields: [] };
  } catch (error) {
    if (error instanceof YAMLException && error.reason === 'duplicated mapping key') return readDuplicates(source);
    throw problemOf(error);
  }
}

const options = { schema: yamlSchemaOf(plainScalar), maxDepth } as const;

/** Reads a text with duplicate members, of which the last one counts. */
function readDuplicates(source: string): YamlBody {
  const duplicates: Duplicate[] = [];
  const frames: Node[][] = [[]];
  const listener = function (this: State, event: 'open' | 'close', state: State) {
    if (event === 'open') {
      frames.push([]);
      lines.push(state.line + 1);
      return;
    }
    const children = frames.pop() ?? [];
    const line = lines.pop() ?? 0;
    if (state.kind === 'mapping') reportDuplicates(children, duplicates);
    frames.at(-1)?.push({ line, isScalar: state.kind === 'scalar', value: state.result as Json });
  };
  const lines: number[] = [];
  try {
    const value = load(source, { ...options, json: true, listener });
    checkEscapes(source);
    const duplicateFields = duplicates.toSorted((left, right) => left.line - right.line).map(({ message }) => message);
    return { value: checkAliases(source, toJson(value)), duplicateFields };
  } catch (error) {
    throw problemOf(error);
  }
}

interface Node {
  readonly line: number;
  readonly isScalar: boolean;
  readonly value: Json;
}

interface Duplicate {
  readonly line: number;
  readonly message: string;
}

/** Reports the keys that a map has twice; its children are keys and values in turn. */
function reportDuplicates(children: readonly Node[], duplicates: Duplicate[]): void {
  const keys = new Set<Json>();
  for (let index = 0; index < children.length; index += 2) {
    const { line, isScalar, value } = children[index] as Node;
    if (!isScalar) continue;
    if (keys.has(value)) duplicates.push({ line, message: `line ${line}: key ${JSON.stringify(String(value))} already set in map` });
    keys.add(value);
  }
}

function toJson(value: unknown): Json {
  return (value ?? null) as Json;
}

/** Returns an error in the words of the server, as far as they are known. */
function problemOf(error: unknown): unknown {
  if (error instanceof RangeError) return tooDeep();
  if (!(error instanceof YAMLException)) return error;
  const { reason, mark } = error;
  if (reason.startsWith('nesting exceeded')) return tooDeep();
  const alias = /^unidentified alias "(.*)"$/s.exec(reason)?.[1];
  if (alias !== undefined) return new YamlTextError(`yaml: unknown anchor '${alias}' referenced`);
  if (reason.startsWith('merge keys exceeded')) return new YamlTextError('yaml: document contains excessive aliasing');
  if (reason.includes('non-printable')) return new YamlTextError('yaml: control characters are not allowed');
  const word = words.find(([pattern]) => pattern.test(reason))?.[1];
  // The server names no line for the first one, and counts from 0 where it is the parser that fails, not the scanner. Source: observed.
  const line = mark === undefined || mark.line === 0 ? '' : ` line ${word === undefined ? mark.line : mark.line + 1}:`;
  return new YamlTextError(`yaml:${line} ${word ?? 'did not find expected node content'}`);
}

const words: readonly (readonly [RegExp, string])[] = [
  [/unknown escape/, 'found unknown escape character'],
  [/hexadecimal/, 'did not find expected hexdecimal number'],
  [/indentation of a mapping entry|multiline key|same line/, 'mapping values are not allowed in this context'],
  [/unexpected end of the stream within a (?:single|double)/, 'found unexpected end of stream'],
  [/tab characters/, 'found a tab character where an indentation space is expected'],
];

function tooDeep(): YamlTextError {
  return new YamlTextError(`yaml: exceeded max depth of ${maxDepth}`);
}
