import type { RunReport } from '../../deploy/index.js';
import { wrongUse } from '../wrong-use.js';
import { type MatchResult, section } from './match-result.js';
import { failureLines, reportedObjects } from './results.js';

/**
 * Passes if every object of a deploy or destroy succeeded.
 *
 * @throws FieldwiseError `option-invalid` for anything but the report of a run.
 */
export function matchSucceeded(received: unknown): MatchResult {
  const objects = reportedObjects(received);
  const summary = (received as Partial<RunReport> | undefined)?.summary;
  if (objects === undefined || summary === undefined)
    throw wrongUse('The value under test', received, 'the report of a deploy or destroy: `await cluster.deploy(app)`');
  const { verb, ok } = summary;
  const message = () => {
    if (ok)
      return `The ${verb} succeeded.${section(
        'Objects:',
        objects.map(({ object, result }) => `${object}: ${result}`),
      )}`;
    return `The ${verb} failed.${section('Reasons:', failureLines(objects))}`;
  };
  return { pass: ok, message };
}
