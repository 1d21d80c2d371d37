import { objectText, type PartialObject } from '../../assembly/index.js';
import { hiddenFields } from '../../schema/index.js';
import type { Json } from '../../util/json.js';
import type { LintDiagnostic } from '../lint/lint-diagnostic.js';
import { objectIdentity } from '../merge/merge-stack.js';
import type { Declared, DeclaredStack } from './declared.js';
import type { KnownTypes } from './typed.js';

/**
 * Removes the `status` of declared objects: the server ignores it in an apply of the object, although it still counts as a write. Kinds that
 * are known to have no status subresource keep it. Reports a status with values as a warning, but not an empty status, which code generators
 * write into manifests.
 */
export function withoutStatus(
  stacks: readonly DeclaredStack[],
  types: KnownTypes,
  diagnostics: LintDiagnostic[],
): readonly DeclaredStack[] {
  return stacks.map((stack) => {
    if (!stack.declared.some(({ object }) => object.status !== undefined)) return stack;
    return { ...stack, declared: stack.declared.map((declared) => omitStatus(declared, stack.name, types, diagnostics)) };
  });
}

function omitStatus(declared: Declared, stack: string, types: KnownTypes, diagnostics: LintDiagnostic[]): Declared {
  const { status, ...object } = declared.object;
  if (status === undefined || isPlainField(declared, types)) return declared;
  if (!declared.byOthers || hasValue(status)) diagnostics.push(statusOmitted(declared, stack));
  return { ...declared, object: object as PartialObject };
}

function isPlainField({ root, object: { apiVersion, kind } }: Declared, types: KnownTypes): boolean {
  const known = root ?? types.root(apiVersion, kind);
  return known !== undefined && !hiddenFields(known).has('status');
}

function hasValue(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null) return value !== undefined && value !== null && value !== '';
  return Object.values(value).some(hasValue);
}

function statusOmitted({ construct, location, object }: Declared, stack: string): LintDiagnostic {
  const text = objectText(objectIdentity(object));
  return {
    diagnostic: {
      code: 'status-omitted',
      message: `The status of ${text} is left out: the controller of the object writes it, and an apply of the object does not.`,
      stack,
      object: text,
      field: '.status',
      ...location,
    },
    constructs: [construct],
  };
}
