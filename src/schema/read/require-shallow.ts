import { FieldwiseError } from '../../util/error.js';
import { pathStep } from '../schema-path.js';

/** Real schemas nest to a few dozen levels, two JSON levels each; a deeper one would exhaust the stack later. */
const maxDepth = 1000;

/**
 * Rejects JSON that nests too deep, defaults and enums included.
 *
 * @param subject the JSON's name in the message
 * @throws FieldwiseError `schema-too-deep` with the beginning of the path, as a field path below a schema.
 */
export function requireShallow(json: unknown, subject: string, file?: string): void {
  // Iterative: recursion would exhaust the stack that this check protects.
  const open: { readonly value: unknown; readonly depth: number; readonly at: NestedPath | undefined }[] = [
    { value: json, depth: 0, at: undefined },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth, at } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > maxDepth) {
      throw new FieldwiseError('schema-too-deep', 'usage', `${subject} nests deeper than ${maxDepth} levels`, {
        location: { ...(file === undefined ? {} : { file }), field: `${nestedPathText(at).slice(0, 120)}…` },
        next: 'Such a schema is either damaged or hostile; check the file',
      });
    }
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'object' && member !== null) {
        open.push({ value: member, depth: depth + 1, at: { name: Array.isArray(value) ? undefined : name, before: at } });
      }
    }
  }
}

interface NestedPath {
  /** Undefined for an item of a list. */
  readonly name: string | undefined;
  readonly before: NestedPath | undefined;
}

function nestedPathText(at: NestedPath | undefined): string {
  const names: (string | undefined)[] = [];
  for (let step = at; step !== undefined; step = step.before) names.unshift(step.name);
  const schema = names.indexOf('openAPIV3Schema');
  if (schema < 0) return names.map((name) => (name === undefined ? '[]' : pathStep(name))).join('');
  const path: string[] = [];
  for (let index = schema + 1; index < names.length; index++) {
    if (names[index] === 'properties' && names[index + 1] !== undefined) path.push(pathStep(names[++index] as string));
    else path.push(names[index] === 'items' ? '[]' : pathStep(names[index] ?? ''));
  }
  return path.join('');
}
