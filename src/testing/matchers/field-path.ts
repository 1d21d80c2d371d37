import { isItemStep, pathCovers, stepsOf } from '../../fields/index.js';
import { wrongUse } from '../wrong-use.js';

/**
 * Returns a path with its leading dot, as the server writes it.
 *
 * @param known fields of the value under test: a name with special characters needs no brackets if one of them has it.
 * @throws FieldwiseError `option-invalid` for anything but a path, such as `.spec[`, which no field could ever match.
 */
export function fieldPath(path: string, known: Iterable<string> = []): string {
  if (typeof path !== 'string' || path === '') throw wrongUse('The field', path, "a path such as '.spec.replicas'");
  // A name in brackets is the same as one after a dot.
  const plain = withDot(path.replaceAll(nameInBrackets, (step) => `.${nameIn(step, path)}`));
  const others = withDot(path.replaceAll(nameInBrackets, '.name'));
  const steps = stepsOf(others);
  if (steps.some((step) => /^\[\d+\]$/.test(step)))
    throw wrongUse('The field', path, 'the key of an item and not its index, such as `.spec.ports[port=80]`');
  for (const field of known) if (field === plain || field.startsWith(`${plain}.`) || field.startsWith(`${plain}[`)) return plain;
  if (!steps.every((step) => (step.startsWith('[') ? item : fieldNames).test(step))) {
    const expected = `a path such as '.spec.ports[port=80].name', and a name with special characters in brackets, such as '.data["a."]'`;
    throw wrongUse('The field', path, expected);
  }
  return plain;
}

const nameInBrackets = /\["(?:[^"\\]|\\.)*"\]/g;

/** `.spec.template`; a part is not empty, and has no brackets and no spaces around it. */
const fieldNames = /^(?:\.[^\s.[\]](?:[^.[\]]*[^\s.[\]])?)+$/;

/** `[port=80,protocol="TCP"]`, whose texts need no quotes, or `[="example.com/a"]`, whose texts do. */
const item =
  /^\[(?:=(?:"(?:[^"\\]|\\.)*"|true|false|null|-?\d[\d.e+-]*)|[^=,"[\]]+=(?:"(?:[^"\\]|\\.)*"|[^,"[\]]+)(?:,[^=,"[\]]+=(?:"(?:[^"\\]|\\.)*"|[^,"[\]]+))*)\]$/;

function withDot(path: string): string {
  return path.startsWith('.') || path.startsWith('[') ? path : `.${path}`;
}

function nameIn(step: string, path: string): string {
  try {
    return JSON.parse(step.slice(1, -1)) as string;
  } catch {
    throw wrongUse('The field', path, 'a name in brackets as a JSON text, such as \'.data["app.yaml"]\'');
  }
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
