import { ApiError, admissionDenialOf } from '../kubernetes/index.js';

/** Returns true if the server rejected a dry run because the credentials lack the right to patch or create, not because of the object. */
export function mayNotApply(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.code === 403 &&
    admissionDenialOf(error) === undefined &&
    (error.method === 'PATCH' || error.method === 'POST') &&
    / cannot (?:patch|create) /.test(afterFirst(' is forbidden: User ', error.message))
  );
}

function afterFirst(part: string, text: string): string {
  const at = text.indexOf(part);
  return at < 0 ? '' : text.slice(at + part.length);
}
