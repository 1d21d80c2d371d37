import { objectText } from '../../assembly/identity.js';
import { type FieldSet, fieldSetOfPaths, formatPath, membersOf, pathCovers, resolvePath } from '../../fields/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { Step } from '../graph/waves.js';

/** The fields and objects that are handed over. */
export interface HandoffSelection {
  readonly steps: readonly Step[];
  /** True if all fields of these objects are selected. */
  readonly isWhole: boolean;
  /** Returns the selected fields of a set. */
  select(fields: FieldSet): FieldSet;
}

/**
 * Reads the limits of a handoff: objects as `Kind/name` or `Kind/namespace/name`, and paths such as `.spec.replicas`, which include
 * everything below them. Without objects all of the new owner's are selected, without paths all fields.
 *
 * @throws FieldwiseError `handoff-not-declared` where the new owner does not declare such an object or field.
 */
export function selectionOf(steps: readonly Step[], limits: readonly string[]): HandoffSelection {
  const paths = limits.filter((limit) => limit.startsWith('.'));
  const objects = limits.filter((limit) => !limit.startsWith('.'));
  const selected = objects.length === 0 ? steps : steps.filter((step) => objects.some((object) => matchesObject(object, step)));
  const missing =
    objects.find((object) => !steps.some((step) => matchesObject(object, step))) ??
    paths.find((path) => !selected.some(({ object }) => resolvePath(path, object) !== undefined));
  if (missing !== undefined) {
    throw new FieldwiseError('handoff-not-declared', 'usage', `The new owner does not declare ${missing}`, {
      next: `Declare it there first, with its present value. Objects of the new owner: ${steps.map(({ intent }) => objectText(intent)).join(', ') || 'none'}.`,
    });
  }
  const select = (fields: FieldSet) =>
    paths.length === 0
      ? fields
      : fieldSetOfPaths(
          membersOf(fields)
            .map(({ path }) => path)
            .filter((path) => paths.some((limit) => pathCovers(limit, formatPath(path)))),
        );
  return {
    steps: paths.length === 0 ? selected : selected.filter(({ object }) => paths.some((path) => resolvePath(path, object) !== undefined)),
    isWhole: paths.length === 0,
    select,
  };
}

function matchesObject(text: string, { intent: { kind, namespace, name } }: Step): boolean {
  const [wanted = '', ...nameParts] = text.split('/');
  if (wanted.toLowerCase() !== kind.toLowerCase()) return false;
  return nameParts.length === 1 ? nameParts[0] === name : nameParts[0] === namespace && nameParts[1] === name;
}
