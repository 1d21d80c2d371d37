import { type IntentPolicy, objectText } from '../../assembly/index.js';
import { isBuiltIn } from '../../schema/index.js';
import type { Json } from '../../util/json.js';
import type { Declared } from '../declared/declared.js';
import { type AtomicPosition, atomicPositions } from '../merge/atomic-positions.js';
import { isListOfObjects, keyableLists, suggestionFor } from '../merge/list-keys.js';
import { type LintDiagnostic, lifecycleOf, lintDiagnostic, namesOf, type StackIntent } from './lint-diagnostic.js';
import { isMergedClientSide, type PolicyOf } from './merged-client-side.js';

/** Returns a warning for each atomic list of objects that a share declares: its apply replaces the items of others. */
export function sharedAtomics(placed: StackIntent, policyOf: PolicyOf): readonly LintDiagnostic[] {
  if (lifecycleOf(placed) !== 'share') return [];
  const lists = positionsOf(placed, policyOf).filter(({ kind, typed }) => kind === 'list' && isListOfObjects(typed));
  return lists.map((list) => sharedList(placed, list, policyOf(placed.intent)));
}

/** Returns the positions of an intent that are one value, both for the server and under its strategy. */
function positionsOf({ intent }: StackIntent, policyOf: PolicyOf): readonly AtomicPosition[] {
  const positions = intent.root ? [...atomicPositions(intent.object, intent.typed)] : [];
  return positions.filter((position) => !isMergedClientSide(position, intent, policyOf(intent)));
}

function sharedList(placed: StackIntent, { path, schemaPath, value, typed }: AtomicPosition, { strategy }: IntentPolicy): LintDiagnostic {
  const { identity } = placed.intent;
  const object = objectText(identity);
  const risk = `${object} shares ${path}, and this list is atomic: applying it replaces the whole list, including the items of other stacks.`;
  const fix = strategy
    ? `By convention, its items have no key: set the key in \`listKeys\`.`
    : isBuiltIn(identity.apiVersion)
      ? `The type of this built-in list cannot be changed: declare the whole list in one stack.`
      : fixFor(value, typed, schemaPath, identity.apiVersion);
  return lintDiagnostic('atomic-list-shared', `${risk} ${fix}`, placed, path, { declares: declarer(placed, path) });
}

function fixFor(value: Json, typed: AtomicPosition['typed'], schemaPath: string, apiVersion: string): string {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const lists = keyableLists(value, typed, schemaPath);
  if (lists.length === 0) {
    const { reason } = suggestionFor(typed, schemaPath);
    return `Declare the whole list in one stack. It can be shared only if its order carries no meaning and its CRD declares list map keys, and Fieldwise knows none for certain: ${reason}.`;
  }
  const changes = lists.map(
    ({ schemaPath: where, keys }) =>
      `\`x-kubernetes-list-type: map\` with \`x-kubernetes-list-map-keys: [${keys.join(', ')}]\` at ${where}`,
  );
  return `To share it, change the CRD below versions[name=${version}].schema.openAPIV3Schema: set ${changes.join(', and ')}.`;
}

/** Yields a warning for each atomic value that several stacks declare: the stack that is deployed last wins. */
export function* contestedAtomics(intents: readonly StackIntent[], policyOf: PolicyOf): Generator<LintDiagnostic> {
  if (intents.length < 2) return;
  const declarers = new Map<string, { readonly placed: StackIntent[]; readonly kind: 'list' | 'map' }>();
  for (const placed of intents) {
    for (const { path, kind } of positionsOf(placed, policyOf)) {
      const known = declarers.get(path);
      if (known) known.placed.push(placed);
      else declarers.set(path, { placed: [placed], kind });
    }
  }
  for (const [path, { placed, kind }] of declarers) {
    const last = placed.at(-1);
    if (!last || placed.length < 2) continue;
    const object = objectText(last.intent.identity);
    const message = `Stacks ${namesOf(placed.map(({ stack }) => stack.name))} each declare ${path} of ${object}, and this ${kind} is atomic: its value is that of the stack that is deployed last. Declare it in only one of them.`;
    yield lintDiagnostic('atomic-list-contested', message, last, path, { declares: declarer(last, path), with: placed });
  }
}

function declarer({ intent: { typed } }: StackIntent, field: string): (declared: Declared) => boolean {
  return ({ object }) => [...atomicPositions(object, typed)].some(({ path }) => path === field);
}
