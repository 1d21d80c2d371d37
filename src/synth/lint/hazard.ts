import type { IConstruct } from 'constructs';
import { identityKey, objectText, type SynthWarning } from '../../assembly/index.js';
import type { Lifecycle } from '../../assembly/policy-vocabulary.js';
import type { Declared } from '../declared.js';
import type { MergedIntent, MergedStack } from '../merged-intent.js';

/** An intent of the app together with its stack. */
export interface Placed {
  readonly stack: MergedStack;
  readonly intent: MergedIntent;
}

/** A warning and the constructs that may acknowledge it. */
export interface Hazard {
  readonly warning: SynthWarning;
  readonly constructs: readonly IConstruct[];
}

/** A hazard about a field of an intent, blamed on the first of its declarations that has it. */
export function hazard(
  code: string,
  message: string,
  { stack, intent }: Placed,
  field: string,
  options: { readonly declares?: (declared: Declared) => boolean; readonly with?: readonly Placed[] } = {},
): Hazard {
  const blamed = (options.declares && intent.declared.find(options.declares)) ?? intent.declared[0];
  return {
    warning: { code, message, stack: stack.name, object: objectText(intent.identity), field, ...blamed?.place },
    constructs: [intent, ...(options.with ?? []).map((other) => other.intent)].flatMap(({ declared }) =>
      declared.map(({ construct }) => construct),
    ),
  };
}

/** The intents for each object, in program order. */
export function byObject(placed: readonly Placed[]): ReadonlyMap<string, readonly Placed[]> {
  const objects = new Map<string, Placed[]>();
  for (const one of placed) {
    const key = identityKey(one.intent.identity);
    const same = objects.get(key);
    if (same) same.push(one);
    else objects.set(key, [one]);
  }
  return objects;
}

export function lifecycleOf({ intent }: Placed): Lifecycle {
  return intent.declared[0]?.lifecycle ?? 'own';
}

/** `a, b and 3 more`. */
export function namesOf(names: readonly string[]): string {
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
