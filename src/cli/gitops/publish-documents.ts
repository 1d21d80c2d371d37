import fs from 'node:fs';
import path from 'node:path';
import { openDraft } from '../../assembly/draft.js';
import { slashPath } from '../../util/slash-path.js';

/** The file that lists the others, so that the next synth knows which of them it wrote. */
const listName = 'files.json';

/**
 * Replaces a directory by files, all or none: a reader sees the old ones or the new ones.
 *
 * @param files texts by paths with forward slashes.
 * @throws FieldwiseError `output-not-an-assembly` if the directory contains a file that `synth --for` did not write; `output-unwritable`.
 */
export function publishDocuments(directory: string, files: ReadonlyMap<string, string>): void {
  const draft = openDraft(directory, () => foreignFile);
  try {
    const names = [listName, ...files.keys()].sort();
    draft.write(new Map([...files, [listName, `${JSON.stringify({ fieldwise: 'synth --for', files: names }, undefined, 2)}\n`]]));
    draft.publish();
  } finally {
    draft.discard();
  }
}

function foreignFile(directory: string): string | undefined {
  const stats = fs.statSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return 'it is not a directory';
  const written = writtenFiles(path.join(directory, listName));
  const foreign = fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => slashPath(directory, path.join(entry.parentPath, entry.name)))
    .find((name) => !written.has(name));
  return foreign === undefined ? undefined : `it contains ${foreign}, and \`synth --for\` did not write it`;
}

function writtenFiles(file: string): ReadonlySet<string> {
  try {
    return new Set((JSON.parse(fs.readFileSync(file, 'utf8')) as { files: readonly string[] }).files);
  } catch {
    return new Set();
  }
}
