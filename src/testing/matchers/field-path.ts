import { isItemStep, pathCovers, stepsOf } from '../../fields/index.js';
import { wrongUse } from '../wrong-use.js';

/**
 * Returns a path with its leading dot, as the server writes it.
 *
 * @throws FieldwiseError `option-invalid`.
 */
export function fieldPath(path: string): string {
  if (typeof path !== 'string' || path === '') throw wrongUse('The field', path, "a path such as '.spec.replicas'");
  if (/\[\d+\]/.test(path)) throw wrongUse('The field', path, 'the key of an item and not its index, such as `.spec.ports[port=80]`');
  // A name in brackets is the same as one after a dot.
  const plain = path.replaceAll(/\["((?:[^"\\]|\\.)*)"\]/g, (_, name: string) => `.${JSON.parse(`"${name}"`)}`);
  return plain.startsWith('.') || plain.startsWith('[') ? plain : `.${plain}`;
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
