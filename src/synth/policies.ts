import type { AppRoot } from '../app/app-root.js';
import type { FieldPolicy, Policy } from '../app/policy.js';
import { Stack } from '../app/stack.js';
import { type IntentPolicy, type ObjectIdentity, objectText } from '../assembly/index.js';
import { FieldwiseError } from '../util/error.js';
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
      if (Object.hasOwn(combined, name) && combined[name] !== value) throw clash(`\`${name}\``, declaration);
      combined[name] = value;
    }
    for (const [path, policy] of Object.entries(declaration.policy?.fields ?? {})) {
      if (Object.hasOwn(fields, path) && fields[path]?.conflicts !== policy.conflicts) throw clash(`of ${path}`, declaration);
      fields[path] = policy;
    }
  }
  return { ...combined, fields };
}

/** The policy in force for an intent: member by member the nearest of intent, stacks from the inside out, app, configuration. */
export function effectivePolicy({ policy }: MergedIntent, { chart }: MergedStack, app: AppRoot): IntentPolicy {
  const stacks = chart.node.scopes.filter((scope) => Stack.isStack(scope)).reverse();
  const chain = [policy, ...stacks.map((stack) => stack.policy), ...app.policies].filter((level) => level !== undefined);
  const nearest = <Name extends keyof Policy>(name: Name) => chain.find((level) => level[name] !== undefined)?.[name];
  const fields = Object.assign({}, ...chain.map((level) => level.fields ?? {}).reverse()) as Record<string, FieldPolicy>;
  return {
    conflicts: nearest('conflicts') ?? 'force',
    waitSeconds: nearest('waitSeconds') ?? 300,
    ifAbsent: nearest('ifAbsent') ?? 'wait',
    adopt: nearest('adopt') ?? false,
    deletePropagation: nearest('deletePropagation') ?? 'Background',
    fields: Object.fromEntries(Object.entries(fields).sort(([left], [right]) => (left < right ? -1 : 1))),
  };
}
