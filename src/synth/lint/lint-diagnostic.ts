import type { IConstruct } from 'constructs';
import { identityKey, objectText, type SynthDiagnostic } from '../../assembly/index.js';
import type { Lifecycle } from '../../assembly/policy-vocabulary.js';
import type { Declared } from '../declared.js';
import type { MergedIntent, MergedStack } from '../merged-intent.js';

/** An intent of the app together with its stack. */
export interface StackIntent {
  readonly stack: MergedStack;
  readonly intent: MergedIntent;
}

/** A warning and the constructs that may acknowledge it. */
export interface LintDiagnostic {
  readonly diagnostic: SynthDiagnostic;
  readonly constructs: readonly IConstruct[];
}

/** A hazard about a field of an intent, blamed on the first of its declarations that has it. */
export function lintDiagnostic(
  code: string,
  message: string,
  { stack, intent }: StackIntent,
  field: string,
  options: { readonly declares?: (declared: Declared) => boolean; readonly with?: readonly StackIntent[] } = {},
): LintDiagnostic {
  const origin = (options.declares && intent.declared.find(options.declares)) ?? intent.declared[0];
  return {
    diagnostic: { code, message, stack: stack.name, object: objectText(intent.identity), field, ...origin?.location },
    constructs: [intent, ...(options.with ?? []).map((other) => other.intent)].flatMap(({ declared }) =>
      declared.map(({ construct }) => construct),
    ),
  };
}

/** The intents for each object, in program order. */
export function byObject(placed: readonly StackIntent[]): ReadonlyMap<string, readonly StackIntent[]> {
  const objects = new Map<string, StackIntent[]>();
  for (const one of placed) {
    const key = identityKey(one.intent.identity);
    const same = objects.get(key);
    if (same) same.push(one);
    else objects.set(key, [one]);
  }
  return objects;
}

export function lifecycleOf({ intent }: StackIntent): Lifecycle {
  return intent.declared[0]?.lifecycle ?? 'own';
}

/** `a, b and 3 more`. */
export function namesOf(names: readonly string[]): string {
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
