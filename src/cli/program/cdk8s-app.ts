import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isMap, LineCounter, parseDocument } from 'yaml';
import { FieldwiseError } from '../../util/error.js';

/** The configuration file of cdk8s. */
export const cdk8sFileName = 'cdk8s.yaml';

/**
 * Returns the command that `app` of cdk8s.yaml names; undefined without one. Its other keys have other meanings there.
 *
 * @throws FieldwiseError `config-invalid` with line and column.
 */
export async function cdk8sApp(directory: string): Promise<string | undefined> {
  const file = path.join(directory, cdk8sFileName);
  if (!existsSync(file)) return undefined;
  const lines = new LineCounter();
  const document = parseDocument(await readFile(file, 'utf8'), { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken) {
    const { line, col } = lines.linePos(broken.pos[0]);
    throw new FieldwiseError('config-invalid', 'usage', `${cdk8sFileName} is not YAML: ${broken.message}`, {
      location: { file: `${cdk8sFileName}:${line}:${col}` },
      next: 'Correct it, or name the program with `-a` or in fieldwise.yaml.',
    });
  }
  const app: unknown = isMap(document.contents) ? document.contents.get('app') : undefined;
  return typeof app === 'string' && app.trim() !== '' ? app : undefined;
}
