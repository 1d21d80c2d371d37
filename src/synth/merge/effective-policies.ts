import type { AppRoot } from '../../app/app-root.js';
import type { Policy } from '../../app/settings/policy.js';
import type { ResolvedTransferFrom } from '../../app/settings/transfer-from.js';
import { Stack } from '../../app/stack.js';
import { type IntentPolicy, type ObjectIdentity, objectText } from '../../assembly/index.js';
import { FieldwiseError } from '../../util/error.js';
import { type Json, jsonEqual } from '../../util/json.js';
import type { Declared } from '../declared/declared.js';
import type { MergedIntent, MergedStack } from './merged-intent.js';
import { overlaidKeys } from './overlaid-lists.js';

/** The members of a policy whose values are maps by field path. */
const membersByPath = ['fields', 'listKeys'] as const;

/** The policy of intents without their own policy, which are most. */
const emptyPolicy: Policy = Object.freeze({});

/**
 * Combines the policies of all declarations of an object.
 *
 * @throws FieldwiseError `policy-conflict` if two of them have different values.
 */
export function combinePolicies(declared: readonly Declared[], identity: ObjectIdentity): Policy {
  if (declared.every(({ policy }) => policy === undefined)) return emptyPolicy;
  const combined: Record<string, unknown> = {};
  const byPath: Record<(typeof membersByPath)[number], Record<string, unknown>> = { fields: {}, listKeys: {} };
  const clash = (what: string, { location }: Declared) =>
    new FieldwiseError('policy-conflict', 'usage', `Two declarations of ${objectText(identity)} disagree on the policy ${what}`, {
      location,
      next: 'Set it in only one of them, or in the stack.',
    });
  const add = (to: Record<string, unknown>, from: object, textOf: (name: string) => string, declaration: Declared) => {
    for (const [name, value] of Object.entries(from)) {
      if (Object.hasOwn(to, name) && !jsonEqual(to[name] as Json, value as Json)) throw clash(textOf(name), declaration);
      to[name] = value;
    }
  };
  for (const declaration of declared) {
    const { fields = {}, listKeys = {}, ...others } = declaration.policy ?? {};
    add(combined, others, (name) => `\`${name}\``, declaration);
    add(byPath.fields, fields, (path) => `of ${path}`, declaration);
    add(byPath.listKeys, listKeys, (path) => `\`listKeys\` of ${path}`, declaration);
  }
  const present = membersByPath.filter((name) => Object.keys(byPath[name]).length > 0);
  return { ...combined, ...Object.fromEntries(present.map((name) => [name, byPath[name]])) };
}

/**
 * Returns a function that gives the effective policy of an intent of a stack: member by member the nearest of intent, stacks from the
 * inside out, app and configuration.
 */
export function effectivePolicies({ chart }: MergedStack, app: AppRoot): (intent: MergedIntent) => IntentPolicy {
  const stacks = chart.node.scopes.filter((scope) => Stack.isStack(scope)).reverse();
  const around = [...stacks.map((stack) => stack.policy), ...app.policies].filter((level) => level !== undefined);
  const ofEmptyPolicy = new Map<MergedIntent['root'], IntentPolicy>();
  return ({ policy, root }) => {
    const known = policy === emptyPolicy ? ofEmptyPolicy.get(root) : undefined;
    const effective = known ?? effectivePolicy([policy, ...around], overlaidKeys(root));
    if (policy === emptyPolicy) ofEmptyPolicy.set(root, effective);
    return effective;
  };
}

function effectivePolicy(chain: readonly Policy[], overlaid: NonNullable<Policy['listKeys']>): IntentPolicy {
  const nearest = <Name extends keyof Policy>(name: Name) => chain.find((level) => level[name] !== undefined)?.[name];
  const isDynamic = nearest('strategy') === 'dynamic';
  const listKeys = pathByPath(isDynamic ? [...chain, { listKeys: overlaid }] : chain, 'listKeys');
  return {
    conflicts: nearest('conflicts') ?? 'force',
    waitSeconds: nearest('waitSeconds') ?? 300,
    ifAbsent: nearest('ifAbsent') ?? 'wait',
    ...presence(nearest('ifPresent')),
    ...releasing(nearest('releases')),
    adopt: nearest('deleteExisting') ?? false,
    deletePropagation: nearest('deletePropagation') ?? 'Background',
    ...waiting(nearest('wait'), nearest('waitFor')),
    ...(nearest('replace') ? { replace: true } : {}),
    ...(nearest('retain') ? { retain: true } : {}),
    ...(nearest('deleteShared') ? { deleteShared: true } : {}),
    ...transferPolicy(nearest('transferFrom')),
    ...(isDynamic ? { strategy: 'dynamic' } : {}),
    ...(Object.keys(listKeys).length > 0 ? { listKeys } : {}),
    fields: fieldPolicies(chain),
  };
}

/** Merges a member by field path: the nearest value of each path wins. */
function pathByPath<Name extends (typeof membersByPath)[number]>(chain: readonly Policy[], name: Name): NonNullable<Policy[Name]> {
  const merged = Object.assign({}, ...chain.map((level) => level[name] ?? {}).reverse()) as NonNullable<Policy[Name]>;
  return Object.fromEntries(Object.entries(merged).sort(([left], [right]) => (left < right ? -1 : 1))) as NonNullable<Policy[Name]>;
}

/** Merges the policies of fields: for each path, the nearest value of each member wins. */
function fieldPolicies(chain: readonly Policy[]): IntentPolicy['fields'] {
  const paths = Object.keys(pathByPath(chain, 'fields'));
  return Object.fromEntries(paths.map((path) => [path, Object.assign({}, ...chain.map((level) => level.fields?.[path] ?? {}).reverse())]));
}

/** Leaves out the default, which keeps the manifests of most programs small. */
function presence(ifPresent: Policy['ifPresent']): Pick<IntentPolicy, 'ifPresent'> {
  return ifPresent === undefined || ifPresent === 'own' ? {} : { ifPresent };
}

function releasing(releases: Policy['releases']): Pick<IntentPolicy, 'releases'> {
  return releases === undefined || releases === 'report' ? {} : { releases };
}

/** Returns the transfer as `parsePolicy` resolved it: with the manager of the previous owner instead of its stack. */
function transferPolicy(transferFrom: Policy['transferFrom']): Pick<IntentPolicy, 'transferFrom'> {
  return transferFrom === undefined ? {} : { transferFrom: transferFrom as ResolvedTransferFrom };
}

/** Returns true if a conflict about a field is forced: the policy of the longest path that covers the field decides. */
export function forces({ conflicts, fields }: IntentPolicy, path: string): boolean {
  let nearest = '';
  for (const [covering, policy] of Object.entries(fields)) {
    if (policy.conflicts === undefined) continue;
    if (path.startsWith(covering) && ['', '.', '['].includes(path.charAt(covering.length)) && covering.length > nearest.length)
      nearest = covering;
  }
  return (fields[nearest]?.conflicts ?? conflicts) === 'force';
}

/** Leaves out the defaults but the seconds. */
function waitLimits({
  seconds = 300,
  unschedulableSeconds,
  failFast,
}: Exclude<Policy['wait'], boolean | undefined>): Exclude<IntentPolicy['wait'], false> {
  return {
    seconds,
    ...(unschedulableSeconds === undefined ? {} : { unschedulableSeconds }),
    ...(failFast === false ? { failFast } : {}),
  };
}

function waiting(wait: Policy['wait'], waitFor: Policy['waitFor']): Pick<IntentPolicy, 'wait' | 'waitFor'> {
  const limit = wait !== false && waitLimits(typeof wait === 'object' ? wait : {});
  if (waitFor === undefined) return { wait: limit };
  const wanted =
    'condition' in waitFor
      ? { condition: waitFor.condition, status: waitFor.status ?? 'True' }
      : { field: waitFor.field.startsWith('.') ? waitFor.field : `.${waitFor.field}`, equals: waitFor.equals };
  return { wait: limit, waitFor: wanted };
}
