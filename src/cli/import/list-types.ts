import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ListTypeOverlay } from '../../../codegen/index.js';
import { parseListType } from '../../../codegen/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject } from '../../util/json.js';

/**
 * List types of flags, configuration and files. A file holds a map of kinds to maps of paths (`Gateway: { .spec.listeners: map[port] }`),
 * or a list of the same texts that `--list-type` takes.
 *
 * @throws FieldwiseError `list-type-invalid`, `input-missing`, `yaml-invalid`.
 */
export async function readListTypes(texts: readonly string[], file: string | undefined, cwd: string): Promise<readonly ListTypeOverlay[]> {
  const all = [...texts, ...(file === undefined ? [] : await textsOf(file, cwd))];
  const overlays = new Map([...new Set(all)].sort().map((text) => [text, parseListType(text)]));
  const positions = new Map<string, string>();
  for (const { text, kind, group, version, path } of overlays.values()) {
    const position = JSON.stringify([kind, group, version, path]);
    const other = positions.get(position);
    if (other !== undefined) {
      throw new FieldwiseError('list-type-invalid', 'usage', `Two list types are given for one list: ${other} and ${text}`, {
        next: 'Keep one of them',
      });
    }
    positions.set(position, text);
  }
  return [...overlays.values()];
}

async function textsOf(file: string, cwd: string): Promise<readonly string[]> {
  const text = await readFile(resolve(cwd, file), 'utf8').catch((cause: unknown) => {
    throw new FieldwiseError('input-missing', 'usage', 'The file of list types cannot be read', {
      location: { file },
      cause,
      next: 'Check the path that --list-types names',
    });
  });
  const { readDocuments } = await import('./documents.js');
  return (await readDocuments(text, file)).flatMap(({ document, location }) => {
    if (Array.isArray(document) && document.every((item): item is string => typeof item === 'string')) return document;
    if (!isJsonObject(document)) throw invalid(location);
    return Object.entries(document).flatMap(([kind, lists]) => {
      if (!isJsonObject(lists)) throw invalid(location);
      return Object.entries(lists).map(([path, type]) => `${kind}:${path}=${String(type)}`);
    });
  });
}

function invalid(file: string): FieldwiseError {
  return new FieldwiseError('list-type-invalid', 'usage', 'The file is neither a map of kinds to paths nor a list of texts', {
    location: { file },
    next: "Write `Gateway: { .spec.listeners: 'map[port]' }`, or a list of `Gateway:.spec.listeners=map[port]`",
  });
}
