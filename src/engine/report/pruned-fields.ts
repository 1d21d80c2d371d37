import { objectText } from '../../assembly/identity.js';
import type { PartialObject } from '../../assembly/types.js';
import { type FieldPath, formatPath, membersOf, valueAt } from '../../fields/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import { isBuiltIn, pathStep } from '../../schema/index.js';
import { isJsonObject, isList, type Json, type JsonObject } from '../../util/json.js';
import type { Step } from '../graph/waves.js';
import type { RunDiagnostic } from './run-diagnostic.js';

/**
 * Returns the declared fields that the server accepted and recorded as the manager's, but does not store. A built-in kind does not store each
 * zero value, which means the same, so only other values count there; a custom resource stores what its schema has.
 *
 * @param stored the whole object as the server returns it for a dry run.
 */
export function prunedFields(intent: PartialObject, stored: JsonObject, manager: string): readonly string[] {
  const entry = applyEntryOf(stored, manager);
  const walk: PruneWalk = { keepsZeros: !isBuiltIn(intent.apiVersion), pruned: [] };
  // Merged client-side: nobody recorded the items of lists.
  if (entry === undefined) collect(intent, stored, () => '', { ...walk, skipsLists: true });
  else
    for (const { path, leaf } of membersOf(entry.fields)) {
      const declared = leaf ? valueAt(intent, path) : undefined;
      if (declared !== undefined) collect(declared, valueAt(stored, path), () => formatPath(firstAbsent(path, stored)), walk);
    }
  return [...new Set(walk.pruned)];
}

/** Returns the warning of a plan about pruned fields, of at least one. */
export function prunedWarning({ intent, stack }: Step, fields: readonly string[]): RunDiagnostic {
  const shown = fields.length > 10 ? [...fields.slice(0, 10), `${fields.length - 10} more`] : fields;
  return {
    event: 'warning',
    code: 'field-pruned',
    message: `The server drops declared fields of ${objectText(intent)} (stack ${stack.name}) without an error: ${shown.join(', ')}.`,
    next: 'Correct their names: the schema of the kind does not have them. Otherwise a disabled feature or an admission webhook removes them.',
  };
}

/** Returns the shortest part of a path at which an object has no value, or the path. */
function firstAbsent(path: FieldPath, object: JsonObject): FieldPath {
  const length = path.findIndex((_, index) => valueAt(object, path.slice(0, index + 1)) === undefined);
  return length < 0 ? path : path.slice(0, length + 1);
}

interface PruneWalk {
  readonly keepsZeros: boolean;
  readonly skipsLists?: boolean;
  /** Paths, added to. */
  readonly pruned: string[];
}

function collect(declared: Json, stored: Json | undefined, path: () => string, walk: PruneWalk): void {
  if (stored === undefined || stored === null) {
    if (stored === undefined && declared !== null && (walk.keepsZeros || !isZero(declared))) walk.pruned.push(path());
  } else if (isList(declared) && isList(stored)) {
    if (walk.skipsLists || declared.length !== stored.length) return;
    for (const [index, item] of declared.entries()) collect(item, stored[index], () => `${path()}[${index}]`, walk);
  } else if (isJsonObject(declared) && isJsonObject(stored)) {
    for (const [name, member] of Object.entries(declared)) {
      const value = Object.hasOwn(stored, name) ? stored[name] : undefined;
      if (member !== undefined) collect(member, value, () => path() + pathStep(name), walk);
    }
  }
}

/** Returns true for the zero values of Go, and for containers of nothing else. */
function isZero(value: Json): boolean {
  if (typeof value !== 'object') return value === false || value === 0 || value === '';
  return value === null || Object.values(value).every((member) => member === undefined || isZero(member as Json));
}
