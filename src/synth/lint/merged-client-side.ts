import { type IntentPolicy, objectText } from '../../assembly/index.js';
import { resolvePath } from '../../fields/index.js';
import { listRules } from '../../merge/dynamic/index.js';
import { isBuiltIn } from '../../schema/index.js';
import { isList } from '../../util/json.js';
import type { AtomicPosition } from '../atomic-positions.js';
import type { MergedIntent } from '../merged-intent.js';
import { type LintDiagnostic, lintDiagnostic, type StackIntent } from './lint-diagnostic.js';

/** The policy in force for an intent. */
export type PolicyOf = (intent: MergedIntent) => IntentPolicy;

/**
 * Whether Fieldwise merges, under the strategy `dynamic`, what the schema takes as one value. The list types of built-in kinds are all
 * written out, so that only `listKeys` makes more of their lists.
 */
export function isMergedClientSide(
  { kind, path, value }: AtomicPosition,
  { identity, object }: MergedIntent,
  policy: IntentPolicy,
): boolean {
  if (policy.strategy !== 'dynamic') return false;
  if (kind === 'map' || !isList(value)) return true;
  const fieldPath = resolvePath(path, object) ?? [];
  const builtIn = isBuiltIn(identity.apiVersion);
  const rules = listRules({ listKeys: policy.listKeys });
  return rules(fieldPath, builtIn ? [] : [value]).type !== 'atomic';
}

/** List keys beside the intent, where the server merges it. */
export function unusedListKeys(placed: StackIntent, policy: IntentPolicy): readonly LintDiagnostic[] {
  const { intent } = placed;
  const [path] = Object.keys(intent.policy.listKeys ?? {});
  if (path === undefined || policy.strategy === 'dynamic') return [];
  const unused = lintDiagnostic(
    'list-keys-unused',
    `The policy of ${objectText(intent.identity)} says by listKeys how to tell the items of ${path} apart, and the server merges this intent by its schema. Give it \`strategy: 'dynamic'\`, or leave listKeys out.`,
    placed,
    path,
    { declares: ({ policy: own }) => own?.listKeys?.[path] !== undefined },
  );
  return [unused];
}
