import { compareUtf8, formatPath, membersOf } from '../../fields/index.js';
import type { Conflict } from '../../merge/index.js';
import { conflictOwnerText } from '../managed-fields/identity.js';

/** One cause of a conflict, as `details.causes` of the server's Status lists it. */
export interface ConflictCause {
  readonly reason: 'FieldManagerConflict';
  /** `conflict with "m" using apps/v1`. */
  readonly message: string;
  /** `.spec.replicas`. */
  readonly field: string;
}

/** The conflicts of an apply, as the server's Status names them. */
export interface ConflictStatus {
  /** `Apply failed with 1 conflict: conflict with "m" using apps/v1: .spec.replicas`. */
  readonly message: string;
  /** One for each owner and field. */
  readonly causes: readonly ConflictCause[];
}

/**
 * Returns the server's response to an apply with conflicts. Managers are sorted by identity; the fields of each are in the order of its
 * set.
 */
export function conflictStatus(conflicts: readonly Conflict[]): ConflictStatus {
  const sorted = conflicts
    .toSorted((left, right) => compareUtf8(left.manager, right.manager))
    .map(({ manager, fields }) => ({
      owner: conflictOwnerText(manager),
      fields: membersOf(fields.set).map(({ path }) => formatPath(path)),
    }));
  const causes = sorted.flatMap(({ owner, fields }) =>
    fields.map((field): ConflictCause => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  );
  const [only] = causes;
  if (causes.length === 1 && only) return { message: `Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes };
  const lines = sorted.flatMap(({ owner, fields }) => [`conflicts with ${owner}:`, ...fields.map((field) => `- ${field}`)]);
  return { message: `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`, causes };
}
