import type { Strategy } from '../../assembly/policy-vocabulary.js';
import type { Assembly } from '../../assembly/types.js';
import { addressIfServed } from '../../engine/addresses/address.js';
import { type ObjectReference, objectReference } from '../../engine/addresses/object-reference.js';
import { rulesOfServer } from '../../engine/client-side-apply/list-rules.js';
import { ServerTypes } from '../../engine/client-side-apply/server-types.js';
import { intentStepsOf, type Step } from '../../engine/graph/waves.js';
import { appliesOnServer, effectiveSteps } from '../../engine/prepare/effective-strategy.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import { type FieldPath, formatPath, type PathElement, valueAt } from '../../fields/index.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { type ListRule, type ListRules, listRules } from '../../merge/dynamic/index.js';
import type { RootType } from '../../schema/index.js';
import { isJsonObject, isList, type Json } from '../../util/json.js';

/** The strategy that suits an intent, by the list types of its kind on the server. */
export interface StrategyAdvice extends ObjectReference {
  readonly event: 'strategy';
  /** The strategy in force, by the intent's policies or by the server's version. */
  readonly current: Strategy;
  readonly recommended: Strategy;
  readonly reason: string;
  /** Declared lists that are atomic on the server and that `dynamic` would merge item by item. */
  readonly lists: readonly AdvisedList[];
}

export interface AdvisedList {
  /** Path such as `.spec.listeners`. */
  readonly field: string;
  /** The fields that identify an item, or `set` for a list whose values are its items. */
  readonly keys: readonly string[] | 'set';
  /** True if the live list contains items of others, or another stack of the assembly declares the list. */
  readonly shared: boolean;
}

/**
 * Recommends a strategy for each intent of an assembly. Only reads.
 *
 * @throws FieldwiseError `cluster-unreachable`, `authentication-failed`.
 */
export async function adviseStrategies(assembly: Assembly, cluster: ClusterClient): Promise<readonly StrategyAdvice[]> {
  const declared = await effectiveSteps(cluster, intentStepsOf(assembly, assembly.manifest.stacks), {}, () => {});
  const isOld = !appliesOnServer(await cluster.version());
  const types = new ServerTypes();
  const advised = new Map<Step, StrategyAdvice>();
  await forEachConcurrent(declared, 16, async (step) => {
    const current = step.intent.policy.strategy ?? 'server-side';
    const address = await addressIfServed(cluster, step.intent);
    const root = address && (await types.get(cluster, address.resource));
    const others = declared.filter((other) => other !== step && other.key === step.key);
    const lists = address && root ? await advisedLists(cluster, address, step, others, root) : [];
    const recommendation = isOld ? tooOld : recommendStrategy(step, root, lists, current);
    advised.set(step, {
      event: 'strategy',
      ...objectReference(step.stack.name, step.stack.manager, step.intent),
      current,
      ...recommendation,
      lists,
    });
  });
  return declared.map((step) => advised.get(step) as StrategyAdvice);
}

type StrategyRecommendation = Pick<StrategyAdvice, 'recommended' | 'reason'>;

const tooOld: StrategyRecommendation = { recommended: 'dynamic', reason: 'the server is older than 1.22' };

function recommendStrategy(
  { intent }: Step,
  root: RootType | undefined,
  lists: readonly AdvisedList[],
  current: Strategy,
): StrategyRecommendation {
  if (root === undefined) return { recommended: current, reason: 'the server publishes no schema of its kind' };
  if (lists.length === 0) return { recommended: 'server-side', reason: 'dynamic would not merge any additional list' };
  const relevant = intent.lifecycle === 'share' ? lists : lists.filter(({ shared }) => shared);
  if (relevant.length > 0) return { recommended: 'dynamic', reason: relevant.map(sharedText).join('; ') };
  const fields = lists.map(({ field }) => field).join(', ');
  return { recommended: 'server-side', reason: `the server gives ${fields} one owner, and nobody else has items in it` };
}

function sharedText({ field, keys }: AdvisedList): string {
  const merge = keys === 'set' ? 'its values as a set' : `its items by ${keys.join(', ')}`;
  return `the server gives ${field} one owner, and dynamic merges ${merge}`;
}

async function advisedLists(
  cluster: ClusterClient,
  address: ObjectAddress,
  { intent, object }: Step,
  others: readonly Step[],
  root: RootType,
): Promise<readonly AdvisedList[]> {
  const found = [...listsMergedClientSide(object, [], rulesOfServer(root), listRules({ listKeys: intent.policy.listKeys, root }))];
  if (found.length === 0) return [];
  const live = await cluster.tryGet(address);
  return found.map(({ path, items, rule }) => {
    const isElsewhere = others.some((other) => valueAt(other.object, path) !== undefined);
    const liveValue = valueAt(live, path);
    const isMixed = isList(liveValue) && liveValue.length > items.length;
    return { field: formatPath(path), keys: rule.type === 'map' ? rule.keys : 'set', shared: isElsewhere || isMixed };
  });
}

interface MergedList {
  readonly path: FieldPath;
  readonly items: readonly Json[];
  readonly rule: Exclude<ListRule, { readonly type: 'atomic' }>;
}

/** Yields the outermost lists that are atomic on the server and that `dynamic` merges item by item, client-side. */
function* listsMergedClientSide(value: Json, path: FieldPath, onServer: ListRules, clientSide: ListRules): Generator<MergedList> {
  if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (member !== undefined) yield* listsMergedClientSide(member, [...path, { kind: 'field', name }], onServer, clientSide);
    }
  } else if (isList(value)) {
    const merged = onServer(path, [value]);
    if (merged.type === 'map') {
      for (const item of value) yield* listsMergedClientSide(item, [...path, itemElement(item, merged.keys)], onServer, clientSide);
    }
    if (merged.type !== 'atomic') return;
    const rule = clientSide(path, [value]);
    if (rule.type !== 'atomic') yield { path, items: value, rule };
  }
}

function itemElement(item: Json, names: readonly string[]): PathElement {
  const keys = names.flatMap((name): [string, Json][] => {
    const value = isJsonObject(item) ? item[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return { kind: 'key', keys };
}
