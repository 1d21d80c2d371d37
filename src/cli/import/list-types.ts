import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ListTypeOverlay } from '../../../codegen/index.js';
import { parseListType } from '../../../codegen/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject } from '../../util/json.js';

/**
 * Reads the list types of flags, configuration and a file. A file contains a map of kinds to maps of paths
 * (`Gateway: { .spec.listeners: map[port] }`), or a list of values of `--list-type`.
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
      throw new FieldwiseError('list-type-invalid', 'usage', `One list has two list types: ${other} and ${text}`, {
        next: 'Remove one of them.',
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
      next: 'Check the path of --list-types.',
    });
  });
  const { readDocuments } = await import('../../schema/read/read-documents.js');
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
  return new FieldwiseError('list-type-invalid', 'usage', 'The file is neither a map of kinds to paths nor a list of strings', {
    location: { file },
    next: "Write `Gateway: { .spec.listeners: 'map[port]' }`, or a list of strings such as `Gateway:.spec.listeners=map[port]`.",
  });
}
