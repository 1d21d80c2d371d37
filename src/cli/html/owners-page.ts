import type { ObjectTree } from '../../inspect/owners/object-tree.js';
import type { Host } from '../process/host.js';
import { ownersPageData } from './owners-page-data.js';
import type { PageSubject } from './page-data.js';
import { pageFile } from './page-file.js';
import { pageHtml } from './page-html.js';

/** The page of `owners --output-file html=FILE`, while its objects are collected. */
export interface OwnersPage {
  readonly add: (tree: ObjectTree) => void;
  write(subject: PageSubject): Promise<void>;
}

/**
 * Opens a page about the owners of objects.
 *
 * @throws FieldwiseError `flag-invalid`, `file-unwritable`.
 */
export function ownersPage(name: string, host: Pick<Host, 'cwd' | 'stderr'>): OwnersPage {
  const file = pageFile(name, host);
  const trees: ObjectTree[] = [];
  return {
    add: (tree) => trees.push(tree),
    write: async (subject) =>
      file.write(await pageHtml('owners-page', subject.title, ownersPageData(trees, { made: new Date().toISOString(), subject }))),
  };
}
