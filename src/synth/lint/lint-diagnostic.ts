import type { IConstruct } from 'constructs';
import { identityKey, objectText, type SynthDiagnostic } from '../../assembly/index.js';
import type { Lifecycle } from '../../assembly/policy-vocabulary.js';
import type { WarningCode } from '../../util/error-codes.js';
import type { Declared } from '../declared/declared.js';
import type { MergedIntent, MergedStack } from '../merge/merged-intent.js';

/** An intent with its stack. */
export interface StackIntent {
  readonly stack: MergedStack;
  readonly intent: MergedIntent;
}

/** A warning, and the constructs that may acknowledge it. */
export interface LintDiagnostic {
  readonly diagnostic: SynthDiagnostic;
  readonly constructs: readonly IConstruct[];
}

/** Creates a warning about a field of an intent; its location is the first declaration of the field. */
export function lintDiagnostic(
  code: WarningCode,
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

/** Groups intents by their objects, in program order. */
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

/** Returns the lifecycle of an intent. */
export function lifecycleOf({ intent }: StackIntent): Lifecycle {
  return intent.declared[0]?.lifecycle ?? 'own';
}

/** Formats names as `a, b, c and 3 more`. */
export function namesOf(names: readonly string[]): string {
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
