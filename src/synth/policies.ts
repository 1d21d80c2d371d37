import type { AppRoot } from '../app/app-root.js';
import type { FieldPolicy, Policy } from '../app/policy.js';
import { Stack } from '../app/stack.js';
import { type IntentPolicy, type ObjectIdentity, objectText } from '../assembly/index.js';
import { FieldwiseError } from '../util/error.js';
import { type Json, jsonEqual } from '../util/json.js';
import type { Declared } from './declared.js';
import type { MergedIntent, MergedStack } from './merged-stack.js';

/**
 * The intent-level policy of an object that several constructs declare.
 *
 * @throws FieldwiseError `policy-conflict` when two of them say different things.
 */
export function combinePolicies(declared: readonly Declared[], identity: ObjectIdentity): Policy {
  const combined: Record<string, unknown> = {};
  const fields: Record<string, FieldPolicy> = {};
  const clash = (what: string, { place }: Declared) =>
    new FieldwiseError('policy-conflict', 'usage', `Two declarations of ${objectText(identity)} disagree on the policy ${what}`, {
      place,
      next: 'Give it with one of them, or with the stack.',
    });
  for (const declaration of declared) {
    for (const [name, value] of Object.entries(declaration.policy ?? {})) {
      if (name === 'fields') continue;
      if (Object.hasOwn(combined, name) && !jsonEqual(combined[name] as Json, value as Json)) throw clash(`\`${name}\``, declaration);
      combined[name] = value;
    }
    for (const [path, policy] of Object.entries(declaration.policy?.fields ?? {})) {
      if (Object.hasOwn(fields, path) && !jsonEqual(fields[path] as unknown as Json, policy as unknown as Json))
        throw clash(`of ${path}`, declaration);
      fields[path] = policy;
    }
  }
  return { ...combined, fields };
}

/**
 * The policies in force for the intents of a stack: member by member the nearest of intent, stacks from the inside out, app,
 * configuration.
 */
export function policies({ chart }: MergedStack, app: AppRoot): (intent: MergedIntent) => IntentPolicy {
  const stacks = chart.node.scopes.filter((scope) => Stack.isStack(scope)).reverse();
  const around = [...stacks.map((stack) => stack.policy), ...app.policies].filter((level) => level !== undefined);
  return ({ policy }) => effectivePolicy([policy, ...around]);
}

function effectivePolicy(chain: readonly Policy[]): IntentPolicy {
  const nearest = <Name extends keyof Policy>(name: Name) => chain.find((level) => level[name] !== undefined)?.[name];
  const fields = Object.assign({}, ...chain.map((level) => level.fields ?? {}).reverse()) as Record<string, FieldPolicy>;
  return {
    conflicts: nearest('conflicts') ?? 'force',
    waitSeconds: nearest('waitSeconds') ?? 300,
    ifAbsent: nearest('ifAbsent') ?? 'wait',
    adopt: nearest('adopt') ?? false,
    deletePropagation: nearest('deletePropagation') ?? 'Background',
    ...waiting(nearest('wait'), nearest('waitFor')),
    ...(nearest('replace') ? { replace: true } : {}),
    ...(nearest('retain') ? { retain: true } : {}),
    fields: Object.fromEntries(Object.entries(fields).sort(([left], [right]) => (left < right ? -1 : 1))),
  };
}

/** Whether a field is taken from others: the policy of the longest path that covers it decides. */
export function forces({ conflicts, fields }: IntentPolicy, path: string): boolean {
  let nearest = '';
  for (const covering of Object.keys(fields)) {
    if (path.startsWith(covering) && ['', '.', '['].includes(path.charAt(covering.length)) && covering.length > nearest.length)
      nearest = covering;
  }
  return (fields[nearest]?.conflicts ?? conflicts) === 'force';
}

function waiting(wait: Policy['wait'], waitFor: Policy['waitFor']): Pick<IntentPolicy, 'wait' | 'waitFor'> {
  const limit = typeof wait === 'object' ? { seconds: wait.seconds } : (wait ?? true) && { seconds: 300 };
  if (waitFor === undefined) return { wait: limit };
  const wanted =
    'condition' in waitFor
      ? { condition: waitFor.condition, status: waitFor.status ?? 'True' }
      : { field: waitFor.field.startsWith('.') ? waitFor.field : `.${waitFor.field}`, equals: waitFor.equals };
  return { wait: limit, waitFor: wanted };
}
