import { createRequire } from 'node:module';
import type { LineCounter, Scalar } from 'yaml';
import type { Json } from '../util/json.js';
import { ownModule } from '../util/own-module.js';
import type { IncludedYaml } from './parse-included.js';

/** A key or value of included YAML that the program receives differently from the text. */
export interface Alteration {
  /** Index among the documents that are not empty. */
  readonly document: number;
  /** `file:line`, or the file alone if it cannot be read a second time. */
  readonly location: string;
  /** A clause such as `the number 9007199254740993 is read as 9007199254740992`. */
  readonly message: string;
}

/** Matches text that may be altered; the nodes of other text are not visited. */
const suspicious = /\d{16}|(?:^|[\s{,])(?:y|n|yes|no|on|off|[-+.\d][\w.+-]*)\s?:(?:\s|$)|:\s\d+:\d|\d{4}-\d\d?-\d\d?(?:$|[\sTt,}\]])/im;

/** Finds what reading YAML 1.1 into JavaScript alters: whole numbers beyond 2^53, keys that are not strings, times of day, dates. */
export function alterationsInDocuments(url: string, { text, documents, lines }: IncludedYaml): readonly Alteration[] {
  if (!suspicious.test(text)) return [];
  const { visit } = createRequire(ownModule)('yaml') as typeof import('yaml');
  const found: Alteration[] = [];
  for (const [index, document] of documents.entries()) {
    visit(document, {
      Scalar(position, node) {
        const what = position === 'key' ? alteredKey(node) : alteredValue(node);
        if (what !== undefined) found.push({ document: index, location: `${url}:${lineOf(node, lines)}`, message: what });
      },
    });
  }
  return found;
}

/** Finds possible alterations in the values alone, if the text is unknown. */
export function alterationsInValues(url: string, values: readonly Json[]): readonly Alteration[] {
  return values.flatMap((value, index) => valuesAltered(value, index, shownAddress(url)));
}

function lineOf(node: Scalar, lines: LineCounter): number {
  return lines.linePos(node.range?.[0] ?? 0).line;
}

function alteredKey({ value, source = '' }: Scalar): string | undefined {
  if (typeof value === 'string' || value === null || source === '' || String(value) === source) return undefined;
  return `the key ${source} is read as ${JSON.stringify(String(value))}, its value in YAML 1.1; write it in quotes`;
}

function alteredValue({ value, source = '' }: Scalar): string | undefined {
  if (value instanceof Date) return `${source} is read as the time ${value.toISOString()}; write it in quotes`;
  if (typeof value !== 'number') return undefined;
  if (source.includes(':')) return `${source} is read as the number ${value}, a time of day in YAML 1.1; write it in quotes`;
  const digits = source.replaceAll('_', '').replace(/^\+/, '');
  if (!/^-?\d+$/.test(digits) || Number.isSafeInteger(value) || digits === String(BigInt(value))) return undefined;
  return `the number ${source} is read as ${value}: JavaScript has no exact whole numbers beyond 2^53; if it is a string, write it in quotes`;
}

function valuesAltered(value: Json | undefined, document: number, location: string): Alteration[] {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return [{ document, location, message: `a whole number beyond 2^53 is read as ${value}, which may differ from the text` }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(name === 'true' || name === 'false'
      ? [{ document, location, message: `a key is read as "${name}", which may differ from the text (y, n, on, off)` }]
      : []),
    ...valuesAltered(member, document, location),
  ]);
}

/** Returns an address without the parts that may be secret. */
function shownAddress(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
