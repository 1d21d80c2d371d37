import { FieldwiseError } from '../../util/error.js';

const what = 'The data of the embedded API server is damaged';
const restore = 'Restore the directory from a copy, or remove it to start with an empty server.';

/**
 * Creates the error for a record that was stored and cannot be read.
 *
 * @param isLastLog true for the newest segment of the log: what is before the offset is the state before this change.
 */
export function damagedFile(file: string, offset: number, isLastLog = false): FieldwiseError {
  const truncate = `To lose this change and all later ones, run \`truncate -s ${offset} ${file}\`.`;
  return new FieldwiseError('cluster-data-damaged', 'usage', `${what} from byte ${offset} on`, {
    location: { file },
    next: isLastLog ? `${restore} ${truncate}` : restore,
  });
}

/** Creates the error for files that do not belong together. */
export function damagedDirectory(file: string, reason: string, next = restore): FieldwiseError {
  return new FieldwiseError('cluster-data-damaged', 'usage', `${what}: ${reason}`, { location: { file }, next });
}

/** Creates the error for files that a later version wrote. */
export function tooNew(file: string): FieldwiseError {
  return new FieldwiseError('cluster-data-damaged', 'usage', 'The data of the embedded API server is from a newer version of Fieldwise', {
    location: { file },
    next: 'Use that version, or another directory.',
  });
}
