import type { AppRoot } from '../app/app-root.js';
import { inputKey, type ProgramInput } from '../assembly/program-input.js';
import type { Manifest, PartialObject } from '../assembly/types.js';
import { isSecret } from '../fields/object.js';
import { isSecretReference, sourceOfReference } from '../util/secret-reference.js';
import { helmHooks } from './declared/helm-hooks.js';

/** A longer value is left out: it is recorded with each deploy. */
const maxValueLength = 1024; // UTF-16 code units

/**
 * Returns what a program has read from outside, and the context values that it asked for and nobody sets. A context value may be a password:
 * its value is only there if a field of an object other than a Secret has it, and no value of a Secret.
 */
export function programInputs(
  { contextReads }: AppRoot,
  stacks: readonly { readonly objects: readonly PartialObject[] }[],
): Pick<Manifest, 'inputs' | 'unset'> {
  const found = new Map<string, ProgramInput>();
  const open = new Set<string>();
  const secret = new Set<string>();
  for (const object of stacks.flatMap(({ objects }) => objects)) {
    const isHidden = isSecret(object);
    for (const value of scalarsIn(object)) {
      if (isSecretReference(value)) {
        const source = sourceOfReference(value);
        const input: ProgramInput =
          'environment' in source ? { from: 'env', name: source.environment } : { from: 'file', name: source.file };
        found.set(inputKey(input), input);
      } else if (!isHidden) open.add(String(value));
      else for (const text of [String(value), Buffer.from(String(value), 'base64').toString('utf8')]) secret.add(text);
    }
  }
  const context = contextReads.configured
    .filter((name) => contextReads.read.has(name))
    .map((name): ProgramInput => {
      const value = inputText(contextReads.valueOf(name));
      const isPublic = value !== undefined && value.length <= maxValueLength && open.has(value) && !secret.has(value);
      return { from: 'context', name, ...(isPublic ? { value } : {}) };
    });
  const inputs = [...context, ...found.values()].sort(byName);
  const unset = [...contextReads.missing].filter((name) => name !== helmHooks).sort();
  return { ...(inputs.length > 0 ? { inputs } : {}), ...(unset.length > 0 ? { unset } : {}) };
}

function byName(left: ProgramInput, right: ProgramInput): number {
  const [one, other] = [inputKey(left), inputKey(right)];
  return one < other ? -1 : Number(one > other);
}

function inputText(value: unknown): string | undefined {
  return typeof value === 'object' || value === undefined ? undefined : String(value);
}

/** Yields the scalars of a value, and its references. */
function* scalarsIn(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null || isSecretReference(value)) yield value;
  else for (const member of Object.values(value)) yield* scalarsIn(member);
}
