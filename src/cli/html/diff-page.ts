import type { Manifest, SynthDiagnostic } from '../../assembly/types.js';
import type { PlanEvent } from '../../deploy/index.js';
import type { Host } from '../process/host.js';
import { diffPageData } from './diff-page-data.js';
import type { PageSubject } from './page-data.js';
import { pageFile } from './page-file.js';
import { pageHtml } from './page-html.js';

/** The page of `diff --output-file html=FILE`, while the events of its plan are collected. */
export interface DiffPage {
  readonly add: (event: PlanEvent) => void;
  /** Takes the warnings of synth. */
  readonly synthesized: (manifest: Pick<Manifest, 'warnings'>) => void;
  write(subject: PageSubject): Promise<void>;
}

/**
 * Opens a page about a plan.
 *
 * @throws FieldwiseError `flag-invalid`, `file-unwritable`.
 */
export function diffPage(name: string, host: Pick<Host, 'cwd' | 'stderr'>): DiffPage {
  const file = pageFile(name, host);
  const events: PlanEvent[] = [];
  const warnings: SynthDiagnostic[] = [];
  return {
    add: (event) => events.push(event),
    synthesized: (manifest) => warnings.push(...manifest.warnings),
    write: async (subject) =>
      file.write(await pageHtml('diff-page', subject.title, diffPageData(events, { made: new Date().toISOString(), subject }, warnings))),
  };
}
