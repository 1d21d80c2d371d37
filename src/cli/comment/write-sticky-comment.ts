import { thisMachine } from '../../util/machine.js';
import { ApiFailure } from './api-failure.js';
import type { CommentsApi, PostedComment } from './comments-api.js';
import { beginsWith, isNewer, type RunMark, runOf } from './marker.js';

/** The result of writing a comment. */
export interface StickyComment {
  /** `left`: the comment is that of a newer run. */
  readonly outcome: 'created' | 'updated' | 'left';
  readonly url?: string;
}

const maxAttempts = 4;
const maxPauseSeconds = 60;

/**
 * Writes a comment, or updates the one that has the same first line and the same author. Two runs at once may both create one: then each
 * keeps that of the newer run and deletes the other. The text of a comment that is found is never written again: it may be forged. Each
 * attempt begins with the list, so that a response that was lost leaves no second comment.
 *
 * @param marker the first line of the text.
 * @throws ApiFailure; FieldwiseError `interrupted`.
 */
export async function writeStickyComment(
  api: CommentsApi,
  { marker, run, text, signal }: { readonly marker: string; readonly run: RunMark; readonly text: string; readonly signal: AbortSignal },
): Promise<StickyComment> {
  const ours = async () =>
    (await api.list()).filter((one) => one.isOwn && beginsWith(one.body, marker)).sort((one, other) => one.id - other.id);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const found = await ours();
      if (found.length > 0) return await keepOne(api, found, run, text);
      const created = await api.create(text);
      const after = await ours();
      if (after.length > 1) await keepOne(api, after, run, text);
      return withUrl('created', after[0] ?? created);
    } catch (error) {
      const seconds = attempt === maxAttempts ? undefined : pauseAfter(error, attempt);
      if (seconds === undefined) throw error;
      await thisMachine.pause(seconds * 1000, signal);
    }
  }
}

/** Keeps the comment of the newest run, writes the text into it unless that run is newer than this one, and deletes the others. */
async function keepOne(api: CommentsApi, ours: readonly PostedComment[], run: RunMark, text: string): Promise<StickyComment> {
  const idOf = ({ body }: PostedComment) => runOf(body).id ?? 0;
  const kept = ours.reduce((best, one) => (idOf(one) > idOf(best) ? one : best));
  const isLeft = isNewer(runOf(kept.body), run);
  if (!isLeft && kept.body !== text) await api.update(kept.id, text);
  for (const other of ours) {
    if (other === kept) continue;
    await api.remove(other.id).catch((error) => {
      if (!isGone(error)) throw error; // the other run has deleted it
    });
  }
  return withUrl(isLeft ? 'left' : 'updated', kept);
}

function withUrl(outcome: StickyComment['outcome'], { url }: PostedComment): StickyComment {
  return { outcome, ...(url === undefined ? {} : { url }) };
}

/** Returns the seconds until the next attempt; undefined if it would not help, or the server asks for a longer pause than a job should take. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof ApiFailure)) return undefined;
  // A comment that is gone was deleted since it was listed; a pull request that does not exist is not found again.
  if (isGone(error)) return attempt === 1 ? 0 : undefined;
  if (!error.isTransient) return undefined;
  const seconds = error.retryAfterSeconds ?? 2 ** (attempt - 2);
  return seconds <= maxPauseSeconds ? seconds : undefined;
}

function isGone(error: unknown): boolean {
  return error instanceof ApiFailure && (error.status === 404 || error.status === 410);
}
