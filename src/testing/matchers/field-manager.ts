import { isJsonObject } from '../../util/json.js';
import { wrongUse } from '../wrong-use.js';

/** The name of a field manager, or a Stack, whose field manager is derived from its names. */
export type FieldManager = string | { readonly manager: string };

/** @throws FieldwiseError `option-invalid`. */
export function managerOf(manager: FieldManager): string {
  const name: unknown = isJsonObject(manager) ? manager.manager : manager;
  if (typeof name === 'string' && name !== '') return name;
  throw wrongUse('The field manager', manager, "a Stack, or the name of a field manager, such as 'kubectl'");
}
