import { FieldwiseError } from '../../util/error.js';

const nextSteps = {
  retry: 'Nothing of the change is kept. Make space on the disk, or see why it cannot be written, and send the request again.',
  restart: 'Nothing of the change is kept. See why the disk cannot be written, and start the server again: until then it refuses changes.',
  choose: 'Choose a directory that you may write, with `data` (`--data`).',
} as const;

/** Creates the error for a data directory that cannot be created or written. */
export function dataUnwritable(directory: string, cause: unknown, next: keyof typeof nextSteps): FieldwiseError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const what = `The data directory of the embedded API server cannot be created or written (${code ?? message})`;
  return new FieldwiseError('cluster-data-unwritable', 'usage', what, { location: { file: directory }, next: nextSteps[next], cause });
}
