import { objectText } from '../../assembly/identity.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import type { InventoryEntry } from './inventory-entry.js';

/**
 * Returns the warning about objects of which an earlier run has noted what it was about to take, release, remove or overwrite, and ended before it could say
 * what became of it; undefined where there are none. For runs that report no such object: the notes stay.
 */
export function untoldWarning(entries: readonly (InventoryEntry | undefined)[]): RunDiagnostic | undefined {
  const objects = entries.flatMap((entry) => (entry?.pendingForces === undefined ? [] : [objectText(entry)]));
  if (objects.length === 0) return undefined;
  const more = objects.length > named ? ` and ${objects.length - named} more` : '';
  return {
    event: 'warning',
    code: 'earlier-changes-untold',
    message: `An earlier run ended before it could report whether it took, released or changed fields of ${objects.slice(0, named).join(', ')}${more}`,
    next: 'This command does not look at that; the next deploy of the stack reports it.',
  };
}

/** The objects that the warning names. */
const named = 5;
