import { type IntentPolicy, objectText } from '../../assembly/index.js';
import { isBuiltIn } from '../../schema/index.js';
import type { Json } from '../../util/json.js';
import { type AtomicPosition, atomicPositions } from '../atomic-positions.js';
import type { Declared } from '../declared.js';
import { isListOfObjects, keyableLists } from '../list-keys.js';
import { type LintDiagnostic, lifecycleOf, lintDiagnostic, namesOf, type StackIntent } from './lint-diagnostic.js';
import { isMergedClientSide, type PolicyOf } from './merged-client-side.js';

/** Atomic lists of objects that a share declares: applying it replaces what others put there. */
export function sharedAtomics(placed: StackIntent, policyOf: PolicyOf): readonly LintDiagnostic[] {
  if (lifecycleOf(placed) !== 'share') return [];
  const lists = positionsOf(placed, policyOf).filter(({ kind, typed }) => kind === 'list' && isListOfObjects(typed));
  return lists.map((list) => sharedList(placed, list, policyOf(placed.intent)));
}

/** The positions of an intent that have one owner as a whole, whoever merges it. */
function positionsOf({ intent }: StackIntent, policyOf: PolicyOf): readonly AtomicPosition[] {
  const positions = intent.root ? [...atomicPositions(intent.object, intent.typed)] : [];
  return positions.filter((position) => !isMergedClientSide(position, intent, policyOf(intent)));
}

function sharedList(placed: StackIntent, { path, schemaPath, value, typed }: AtomicPosition, { strategy }: IntentPolicy): LintDiagnostic {
  const { identity } = placed.intent;
  const object = objectText(identity);
  const risk = `${object} shares ${path}, and this list is atomic: applying it replaces the whole list, another stack's entries included.`;
  const fix = strategy
    ? `Nothing tells its items apart by convention: say by \`listKeys\` what does.`
    : isBuiltIn(identity.apiVersion)
      ? `It is built into Kubernetes and cannot be shared: let one stack declare all of it.`
      : fixFor(value, typed, schemaPath, identity.apiVersion);
  return lintDiagnostic('atomic-list-shared', `${risk} ${fix}`, placed, path, { declares: declarer(placed, path) });
}

function fixFor(value: Json, typed: AtomicPosition['typed'], schemaPath: string, apiVersion: string): string {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const changes = keyableLists(value, typed, schemaPath).map(({ schemaPath: where, keys, optional }) => {
    const names = keys.length > 0 ? keys.join(', ') : '<fields that tell items apart>';
    const first = optional.length > 0 ? ` (its items must require ${optional.join(', ')} first, or default it)` : '';
    return `\`x-kubernetes-list-type: map\` with \`x-kubernetes-list-map-keys: [${names}]\` at ${where}${first}`;
  });
  return `The cure is in the CRD, below versions[name=${version}].schema.openAPIV3Schema: ${changes.join(', and ')}.`;
}

/** Positions that several stacks declare as a whole: whoever is deployed last has it. */
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
    const message = `Stacks ${namesOf(placed.map(({ stack }) => stack.name))} each declare ${path} of ${object}, and this ${kind} is atomic: it has one value as a whole, that of the stack deployed last. Let one of them declare it.`;
    yield lintDiagnostic('atomic-list-contested', message, last, path, { declares: declarer(last, path), with: placed });
  }
}

function declarer({ intent: { typed } }: StackIntent, field: string): (declared: Declared) => boolean {
  return ({ object }) => [...atomicPositions(object, typed)].some(({ path }) => path === field);
}
