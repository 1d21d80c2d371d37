import { type IntentPolicy, objectText } from '../../assembly/index.js';
import { resolvePath } from '../../fields/index.js';
import { listRules } from '../../merge/dynamic/index.js';
import { isBuiltIn } from '../../schema/index.js';
import { isList } from '../../util/json.js';
import type { AtomicPosition } from '../merge/atomic-positions.js';
import type { MergedIntent } from '../merge/merged-intent.js';
import { type LintDiagnostic, lintDiagnostic, type StackIntent } from './lint-diagnostic.js';

/** Returns the effective policy of an intent. */
export type PolicyOf = (intent: MergedIntent) => IntentPolicy;

/**
 * Returns true if Fieldwise merges a value that is atomic in the schema, under the strategy `dynamic`. Built-in kinds declare all of their
 * list types, so the convention does not apply to them, only `listKeys`.
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

/** Returns a warning for `listKeys` of an intent that the server merges. */
export function unusedListKeys(placed: StackIntent, policy: IntentPolicy): readonly LintDiagnostic[] {
  const { intent } = placed;
  const [path] = Object.keys(intent.policy.listKeys ?? {});
  if (path === undefined || policy.strategy === 'dynamic') return [];
  const unused = lintDiagnostic(
    'list-keys-unused',
    `The policy of ${objectText(intent.identity)} sets listKeys for ${path}, which has no effect: the server merges this intent by its schema. Set \`strategy: 'dynamic'\`, or remove listKeys.`,
    placed,
    path,
    { declares: ({ policy: own }) => own?.listKeys?.[path] !== undefined },
  );
  return [unused];
}
