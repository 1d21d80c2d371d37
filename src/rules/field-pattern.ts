import { anyItem, isItemStep, pathCovers, readPath, stepsOf } from '../fields/index.js';
import { invalidArgument } from '../util/invalid-argument.js';

/**
 * Returns a path of a rule with its leading dot, as a plan has it. `.` is every field, and `[*]` any item of a list.
 *
 * @param known fields of the change: a name with special characters needs no brackets if one of them has it.
 * @throws FieldwiseError `option-invalid` for anything but a path, which no field could ever match: a rule that does not work allows nothing.
 */
export function fieldPattern(path: string, known: Iterable<string> = []): string {
  if (path === '.') return path;
  const read = readPath(path, { known, anyItem: true });
  if ('path' in read) return read.path;
  throw invalidArgument('The path', path, read.expected);
}

/**
 * Returns true if a field is at or below a path. In the path, `[*]` is any item of a list: `.spec.template.spec.containers[*].image` covers
 * `.spec.template.spec.containers[name="web"].image`.
 */
export function matchesField(pattern: string, field: string): boolean {
  if (pattern === '.') return true;
  if (!pattern.includes(anyItem)) return pathCovers(pattern, field);
  const found = stepsOf(field);
  const steps = stepsOf(pattern).map((step, index) => {
    const other = found[index];
    return step === anyItem && other !== undefined && isItemStep(other) ? other : step;
  });
  return pathCovers(steps.join(''), field);
}
