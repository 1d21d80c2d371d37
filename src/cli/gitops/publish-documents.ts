import fs from 'node:fs';
import path from 'node:path';
import { openDraft } from '../../assembly/draft.js';
import { FieldwiseError } from '../../util/error.js';
import { slashPath } from '../../util/slash-path.js';
import { dialects } from './plain-documents.js';
import type { GitopsTool } from './tools.js';

/** The file that lists the others, so that the next synth knows which of them it wrote. */
const listName = 'files.json';

/** The app and the instance whose documents a directory has, and the tool that applies them. */
export interface DocumentsOwner {
  readonly app: string;
  readonly instance: string;
  readonly tool: GitopsTool;
}

interface WrittenList extends Partial<DocumentsOwner> {
  readonly files: readonly string[];
}

/**
 * Replaces a directory by files, all or none: a reader sees the old ones or the new ones.
 *
 * @param files texts by paths with forward slashes.
 * @throws FieldwiseError `output-not-an-assembly` if the directory contains a file that `synth --for` did not write; `output-of-another-app` if it has
 *   the documents of another app or instance; `output-of-another-tool`; `output-unwritable`.
 */
export function publishDocuments(directory: string, files: ReadonlyMap<string, string>, { app, instance, tool }: DocumentsOwner): void {
  const before = writtenList(directory);
  if (before.app !== undefined && (before.app !== app || before.instance !== instance)) {
    throw new FieldwiseError(
      'output-of-another-app',
      'usage',
      `The directory has the documents of app ${before.app}, instance ${before.instance}, and those of app ${app}, instance ${instance}, would replace them`,
      {
        location: { file: directory },
        next: 'Choose another directory with `--outdir`. If the app was renamed, remove the directory, and run the command again.',
      },
    );
  }
  const former = before.tool !== undefined && before.tool !== tool ? dialects[before.tool]?.title : undefined;
  if (former !== undefined) {
    throw new FieldwiseError(
      'output-of-another-tool',
      'usage',
      `The directory has the documents for ${former}, and those for ${dialects[tool].title} would replace them`,
      {
        location: { file: directory },
        next: `Choose another directory with \`--outdir\`. If ${former} applies them no more, remove the directory, and run the command again.`,
      },
    );
  }
  const draft = openDraft(directory, () => foreignFile);
  try {
    const names = [listName, ...files.keys()].sort();
    draft.write(
      new Map([...files, [listName, `${JSON.stringify({ fieldwise: 'synth --for', tool, app, instance, files: names }, undefined, 2)}\n`]]),
    );
    draft.publish();
  } finally {
    draft.discard();
  }
}

function foreignFile(directory: string): string | undefined {
  const stats = fs.statSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return 'it is not a directory';
  const written = new Set(writtenList(directory).files);
  const foreign = fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => slashPath(directory, path.join(entry.parentPath, entry.name)))
    .find((name) => !written.has(name));
  return foreign === undefined ? undefined : `it contains ${foreign}, and \`synth --for\` did not write it`;
}

function writtenList(directory: string): WrittenList {
  try {
    const { files, ...owner } = JSON.parse(fs.readFileSync(path.join(directory, listName), 'utf8')) as WrittenList;
    return { ...owner, files: [...files] };
  } catch {
    return { files: [] };
  }
}
