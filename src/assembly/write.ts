import { createHash } from 'node:crypto';
import { openDraft } from './draft.js';
import { manifestName } from './manifest-name.js';
import type { Manifest } from './types.js';

/** An assembly ready to be written: the manifest and the text of the files that it names. */
export interface AssemblyFiles {
  readonly manifest: Manifest;
  readonly files: ReadonlyMap<string, string>;
}

/** SHA-256 in hex, as the manifest has it. */
export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Writes an assembly to a new directory beside `directory` and swaps it in, so that a reader sees the old one or the new one and a
 * failure leaves the old one as it was.
 *
 * @throws FieldwiseError `output-not-an-assembly` when `directory` holds anything that no assembly put there, `output-unwritable`.
 */
export function writeAssembly(directory: string, { manifest, files }: AssemblyFiles): void {
  const draft = openDraft(directory);
  try {
    draft.write(new Map([...files, [manifestName, manifestText(manifest)]]));
    draft.publish();
  } finally {
    draft.discard();
  }
}

/** One intent a line: large assemblies stay short, and line by line comparisons tell what changed. */
function manifestText({ stacks, ...others }: Manifest): string {
  const lists = stacks.map(({ intents, ...stack }) => {
    const lines = intents.map((intent) => JSON.stringify(intent)).join(',\n    ');
    return `\n  ${JSON.stringify(stack).slice(0, -1)},"intents":[${lines && `\n    ${lines}`}]}`;
  });
  return `${JSON.stringify(others).slice(0, -1)},\n"stacks":[${lists.join(',')}]}\n`;
}
