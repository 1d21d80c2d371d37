import { createHash } from 'node:crypto';
import { openDraft } from './draft.js';
import { manifestName } from './manifest-name.js';
import type { Manifest } from './types.js';
import { keepWritten } from './written-here.js';

/** An assembly in memory: the manifest, and the text of its files by their names. */
export interface AssemblyFiles {
  readonly manifest: Manifest;
  readonly files: ReadonlyMap<string, string>;
}

/** Returns the SHA-256 of a file in hex, as in the manifest. */
export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Writes an assembly to a new directory beside `directory` and moves it there, so that a reader sees the old assembly or the new one, and a
 * failure leaves the old one unchanged.
 *
 * @throws FieldwiseError `output-not-an-assembly` if `directory` contains files that are not part of an assembly; `output-unwritable`.
 */
export function writeAssembly(directory: string, { manifest, files }: AssemblyFiles): void {
  const draft = openDraft(directory);
  try {
    const text = manifestText(manifest);
    draft.write(new Map([...files, [manifestName, text]]));
    draft.publish();
    keepWritten(directory, manifest, text);
  } finally {
    draft.discard();
  }
}

/** Formats a manifest with one intent per line, so that large assemblies are short and can be compared line by line. */
function manifestText({ stacks, ...others }: Manifest): string {
  const lists = stacks.map(({ intents, ...stack }) => {
    const lines = intents.map((intent) => JSON.stringify(intent)).join(',\n    ');
    return `\n  ${JSON.stringify(stack).slice(0, -1)},"intents":[${lines && `\n    ${lines}`}]}`;
  });
  return `${JSON.stringify(others).slice(0, -1)},\n"stacks":[${lists.join(',')}]}\n`;
}
