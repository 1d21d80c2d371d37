import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import type { Json } from '../../util/json.js';
import { badRequest } from '../api/status-error.js';

export interface YamlBody {
  readonly value: Json;
  /** Duplicate members: `line 7: key "title" already set in map`. */
  readonly duplicateFields: readonly string[];
}

/** Reads the YAML body of an apply. @throws StatusError 400 */
export function readYaml(text: string): YamlBody {
  const lines = new LineCounter();
  const [document] = parseAllDocuments(text, {
    uniqueKeys: false,
    version: '1.1',
    lineCounter: lines,
    prettyErrors: false,
    intAsBigInt: false,
  });
  if (document === undefined || !('contents' in document)) return { value: null, duplicateFields: [] };
  const [broken] = document.errors;
  if (broken !== undefined)
    throw badRequest(
      `error decoding YAML: error converting YAML to JSON: yaml: ${brokenText(broken.code, lines.linePos(broken.pos[0]).line)}`,
    );
  const repeated: string[] = [];
  collect(document.contents as Node | null, lines, repeated);
  return { value: (document.toJS() ?? null) as Json, duplicateFields: repeated };
}

function brokenText(code: string, line: number): string {
  if (code === 'BLOCK_IN_FLOW' || code === 'BAD_INDENT' || code === 'MULTILINE_IMPLICIT_KEY' || code === 'BLOCK_AS_IMPLICIT_KEY') {
    return 'mapping values are not allowed in this context';
  }
  return `line ${line}: did not find expected node content`;
}

function collect(node: Node | null, lines: LineCounter, repeated: string[]): void {
  if (node === null || isAlias(node) || isScalar(node)) return;
  if (isSeq(node)) for (const item of node.items) collect(item as Node, lines, repeated);
  if (!isMap(node)) return;
  const seen = new Set<string>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : '';
    const at = isScalar(key) && key.range ? lines.linePos(key.range[0]).line : 0;
    if (seen.has(name)) repeated.push(`line ${at}: key ${JSON.stringify(name)} already set in map`);
    seen.add(name);
    collect(value as Node | null, lines, repeated);
  }
}
