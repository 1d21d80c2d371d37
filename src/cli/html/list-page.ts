import type { ObservedStack } from '../../inspect/observed-stacks.js';
import type { Host } from '../process/host.js';
import { listPageContent } from './list-page-content.js';
import type { PageSubject } from './page-data.js';
import { pageFile } from './page-file.js';
import { pageHtml } from './page-html.js';

/** The page of `list --output-file html=FILE`. */
export interface ListPage {
  write(stacks: readonly ObservedStack[], subject: PageSubject): Promise<void>;
}

/**
 * Opens a page about the stacks in a cluster.
 *
 * @throws FieldwiseError `flag-invalid`, `file-unwritable`.
 */
export function listPage(name: string, host: Pick<Host, 'cwd' | 'stderr'>): ListPage {
  const file = pageFile(name, host);
  return {
    write: async (stacks, subject) => {
      const { data, content } = listPageContent(stacks, { subject, made: new Date().toISOString() });
      await file.write(await pageHtml('list-page', subject.title, data, content));
    },
  };
}
