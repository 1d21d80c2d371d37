import type { OutputFileFlag } from '../config/flags.js';
import type { FailOn } from './fail-on.js';

/** The flags of `fieldwise comment`. */
export interface CommentFlags extends OutputFileFlag {
  readonly events: string;
  readonly exitCode?: number;
  readonly failOn?: FailOn;
  readonly env?: string;
  readonly name?: string;
  readonly plan?: string;
  readonly page?: string;
  readonly artifact?: string;
  readonly artifactUrl?: string;
  readonly sarif?: string;
  readonly pullRequest?: number;
  /** False with `--no-comment`. */
  readonly comment: boolean;
}
