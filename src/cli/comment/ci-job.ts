import type { RunMark } from './marker.js';

/** The job of a CI system in which a command runs, as its variables describe it. */
export interface CiJob {
  readonly system: 'github' | 'gitlab';
  /** `owner/name` on GitHub, a number or a path on GitLab; empty if unknown. */
  readonly repository: string;
  /** The number of the pull request; undefined in a job without one. */
  readonly pullRequest: number | undefined;
  /** The page of the pull request; undefined if unknown. */
  readonly pullRequestUrl: string | undefined;
  /** True if the pull request comes from another repository, whose jobs get a token that only reads. */
  readonly isFork: boolean;
  readonly run: RunMark;
  /** The page of the run; undefined if unknown. */
  readonly runUrl: string | undefined;
  /** The address of the API, without a slash at its end. */
  readonly apiUrl: string;
  /** Undefined if the job has none. */
  readonly token: string | undefined;
}

/** Returns a number of a pull request; undefined for every other value. */
export function pullRequestNumber(value: unknown): number | undefined {
  return /^[1-9]\d{0,9}$/.test(String(value)) ? Number(value) : undefined;
}

/** Returns the number of a run; undefined for every other text. */
export function runNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Returns the digest of a commit; undefined for every other value. */
export function commitOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^[0-9a-f]{7,64}$/.test(value) ? value : undefined;
}

/** Returns an address that Markdown can link, without a slash at its end; undefined for every other value. */
export function addressOf(text: unknown): string | undefined {
  return typeof text === 'string' && /^https?:\/\/[^\s<>()[\]"'`\\]+$/.test(text) ? text.replace(/\/$/, '') : undefined;
}
