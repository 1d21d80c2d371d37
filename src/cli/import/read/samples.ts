import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SampleObject } from '../../../schema/index.js';
import { readDocuments } from '../../../schema/read/read-documents.js';
import { readBounded } from '../../../schema/read/source-limits.js';
import { FieldwiseError } from '../../../util/error.js';
import { isJsonObject } from '../../../util/json.js';
import { pluralize } from '../../../util/pluralize.js';
import { decodeText } from '../../files/decode-text.js';

export interface Samples {
  readonly samples: readonly SampleObject[];
  /** The files that were skipped, as sentences. */
  readonly skipped: readonly string[];
}

const extensions = /\.(ya?ml|json)$/i;

/**
 * Reads the objects of a file, or of the YAML and JSON files of a directory and everything below it. A file that cannot be read, such as a
 * template, is skipped.
 *
 * @throws FieldwiseError `input-missing`, `input-empty`.
 */
export async function readSamples(source: string, cwd: string): Promise<Samples> {
  const samples: SampleObject[] = [];
  const failed: string[] = [];
  const files = await filesOf(source, cwd);
  for (const file of files) {
    try {
      const documents = await readDocuments(decodeText(await readBounded(createReadStream(resolve(cwd, file)), file), file), file);
      for (const { document, location } of documents) if (isJsonObject(document)) samples.push({ location, value: document });
    } catch (error) {
      failed.push(`${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (samples.length === 0) {
    throw new FieldwiseError(
      'input-empty',
      'usage',
      failed[0] === undefined ? 'There is no sample' : `No sample can be read: ${failed[0]}`,
      {
        location: { file: source },
        next: 'Pass YAML or JSON files with objects of the imported kinds.',
      },
    );
  }
  const skipped = failed.length === 0 ? [] : [`${pluralize(failed.length, 'sample file')} skipped, first ${failed[0]}.`];
  return { samples, skipped };
}

async function filesOf(source: string, cwd: string): Promise<readonly string[]> {
  const found = await stat(resolve(cwd, source)).catch(() => undefined);
  if (found === undefined) {
    throw new FieldwiseError('input-missing', 'usage', 'The file or directory of --samples does not exist', {
      location: { file: source },
      next: 'Pass a YAML or JSON file, or a directory of them.',
    });
  }
  if (!found.isDirectory()) return [source];
  const names = (await readdir(resolve(cwd, source), { recursive: true })).filter((name) => extensions.test(name)).sort();
  const files: string[] = [];
  for (const name of names) {
    const file = join(source, name);
    // Directories and pipes can have such names, too, and reading a pipe might never end.
    if ((await stat(resolve(cwd, file)).catch(() => undefined))?.isFile() === true) files.push(file);
  }
  return files;
}
