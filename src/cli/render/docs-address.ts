import { readFileSync } from 'node:fs';
import { packageFile } from '../../util/package-file.js';

let homepage: string | undefined;

/**
 * Returns the address of a page of the documentation.
 *
 * @param page its path below docs without `.md`, such as `formats`.
 * @param anchor the anchor of a heading.
 */
export function docsAddress(page: string, anchor?: string): string {
  homepage ??= (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { homepage: string }).homepage;
  return `${homepage}/${page}.html${anchor === undefined ? '' : `#${anchor}`}`;
}
