import { isItemStep, pathCovers, stepsOf } from '../../fields/index.js';
import { invalidArgument } from '../../util/invalid-argument.js';

/**
 * Returns a path with its leading dot, as the server writes it.
 *
 * @throws FieldwiseError `option-invalid`.
 */
export function fieldPath(path: string): string {
  if (typeof path !== 'string' || path === '') throw invalidArgument('The field', path, "a path such as '.spec.replicas'");
  return path.startsWith('.') || path.startsWith('[') ? path : `.${path}`;
}

/**
 * Returns a path with all keys of its items, by paths that are known: `.spec.ports[port=80]` becomes `.spec.ports[port=80,protocol="TCP"]`.
 * Items that no known path has stay as they are.
 */
export function withItemKeys(path: string, known: Iterable<string>): string {
  const steps = stepsOf(path);
  let longest = 0;
  let found = path;
  for (const other of known) {
    const others = stepsOf(other);
    for (let length = Math.min(steps.length, others.length); length > longest; length--) {
      if (!isItemStep(steps[length - 1] as string)) continue;
      const start = others.slice(0, length).join('');
      if (!isItemStep(others[length - 1] as string) || !pathCovers(steps.slice(0, length).join(''), start)) continue;
      longest = length;
      found = start + steps.slice(length).join('');
    }
  }
  return found;
}
