import { isItemStep, pathCovers, readPath, stepsOf } from '../../fields/index.js';
import { wrongUse } from '../wrong-use.js';

/**
 * Returns a path with its leading dot, as the server writes it.
 *
 * @param known fields of the value under test: a name with special characters needs no brackets if one of them has it.
 * @throws FieldwiseError `option-invalid` for anything but a path, such as `.spec[`, which no field could ever match.
 */
export function fieldPath(path: string, known: Iterable<string> = []): string {
  const read = readPath(path, { known });
  if ('expected' in read) throw wrongUse('The field', path, read.expected);
  return read.path;
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
