import { FieldwiseError } from '../../util/error.js';
import type { NamedObject } from './conflict-text.js';
import { type ExplainedConflict, explainConflict } from './explain-conflicts.js';
import { readConflictTexts } from './read-conflict-texts.js';

/**
 * Explains all conflicts in a text that tools have printed.
 *
 * @param object the object of conflicts whose text names none.
 * @throws FieldwiseError `conflict-not-found`.
 */
export function explainText(text: string, object?: NamedObject): readonly ExplainedConflict[] {
  const found = readConflictTexts(text);
  if (found.length === 0) throw nothingFound(text);
  return found.map((conflict) =>
    explainConflict(object === undefined || conflict.object !== undefined ? conflict : { ...conflict, object }),
  );
}

function nothingFound(text: string): FieldwiseError {
  if (/the object has been modified/.test(text)) {
    return new FieldwiseError(
      'conflict-not-found',
      'usage',
      'The text tells of no conflict over fields: another client wrote the object between the read and the write',
      {
        next: 'Run the command again; nobody owns a field that it was refused.',
      },
    );
  }
  if (/Apply\s{1,200}failed\s{1,200}with\s{1,200}\d{1,9}\s{1,200}conflict/i.test(text)) {
    return new FieldwiseError('conflict-not-found', 'usage', 'The text is cut off before it names an owner', {
      next: 'Pass the whole output of the command, with `2>&1`.',
    });
  }
  return new FieldwiseError('conflict-not-found', 'usage', text.trim() === '' ? 'The text is empty' : 'The text contains no conflict', {
    next: 'Pass the output of the command that was refused, with its errors: `helm upgrade web ./chart 2>&1 | fieldwise explain -`. The message begins with `Apply failed with`.',
  });
}
