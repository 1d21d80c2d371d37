import { packageFile } from '../util/package-file.js';
import type { Manifest } from './types.js';

/** The assembly that the command line expects a copy of Fieldwise to write to a directory, once it is written. */
interface Expected {
  readonly copy: string;
  readonly directory: string;
  written?: { readonly manifest: Manifest; readonly text: string };
}

const slot = Symbol.for('fieldwise.expected-assembly');

/** The command line and the program that it runs load this module twice. */
const shared = globalThis as { [slot]?: Expected | undefined };

/** Expects the assembly of a program that runs in this process. It then need not be parsed from its files again, which takes longer than the program. */
export function expectAssembly(directory: string): void {
  shared[slot] = { copy: thisCopy(), directory };
}

/** Keeps the manifest that was written to a directory, if it is expected. */
export function keepWritten(directory: string, manifest: Manifest, text: string): void {
  const expected = shared[slot];
  if (expected?.directory === directory && expected.copy === thisCopy()) expected.written = { manifest, text };
}

/** Returns the manifest that this process has written to a directory, once, and only if `content`, which was read there, is its text. */
export function takeWritten(directory: string, content: Buffer): Manifest | undefined {
  const expected = shared[slot];
  if (expected?.directory !== directory) return undefined;
  delete shared[slot];
  return expected.written?.text === content.toString('utf8') ? expected.written?.manifest : undefined;
}

/** Returns what tells installed copies apart; empty in a program that is bundled with its copy. */
function thisCopy(): string {
  try {
    return packageFile('package.json');
  } catch {
    return '';
  }
}
