import type { Json } from '../util/json.js';
import { type FieldPath, itemIndex, valueAt } from './path.js';

/** Returns the JSON pointer (RFC 6901) of a path that exists in an object. */
export function pointerTo(path: FieldPath, object: Json): string {
  let here: Json | undefined = object;
  let pointer = '';
  for (const step of path) {
    const token = step.kind === 'field' ? step.name.replaceAll('~', '~0').replaceAll('/', '~1') : itemIndex(here, step);
    pointer += `/${token}`;
    here = valueAt(here as Json, [step]);
  }
  return pointer;
}
