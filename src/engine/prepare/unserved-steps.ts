import { declarationText } from '../../assembly/declaration-text.js';
import { objectText } from '../../assembly/identity.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { resourceIfServed } from '../addresses/address.js';
import { groupKindDefinedBy, groupKindOf } from '../addresses/group-kind.js';
import type { Step } from '../graph/waves.js';
import type { Question } from '../report/question.js';

/** Finds the steps of a run whose kind the server does not serve, and that no CustomResourceDefinition of the run defines: they cannot be applied. */
export async function findUnserved(cluster: ClusterClient, steps: readonly Step[]): Promise<ReadonlySet<Step>> {
  const defined = new Set(steps.map(groupKindDefinedBy));
  const kinds = new Map(steps.map(({ intent }) => [kindText(intent), intent]));
  const unserved = new Set<string>();
  await Promise.all(
    [...kinds].map(async ([text, intent]) => {
      if (defined.has(groupKindOf(intent))) return;
      if ((await resourceIfServed(cluster, intent.apiVersion, intent.kind)) === undefined) unserved.add(text);
    }),
  );
  return new Set(unserved.size === 0 ? [] : steps.filter(({ intent }) => unserved.has(kindText(intent))));
}

/** Returns the question whether the other objects of a run are applied. */
export function unservedQuestion(unserved: ReadonlySet<Step>, steps: readonly Step[]): Question | undefined {
  if (unserved.size === 0) return undefined;
  const kinds = [...new Set([...unserved].map(({ intent }) => kindText(intent)))];
  const others = steps.length - unserved.size;
  const [what, which] = unserved.size === 1 ? ['1 object', 'its kind'] : [`${unserved.size} objects`, 'their kinds'];
  return {
    text: `${what} cannot be applied, because the server does not serve ${which} (${kinds.join(', ')})`,
    objects: [...unserved].map(({ intent }) => `${objectText(intent)}, declared by ${intent.declaredBy.map(declarationText).join(', ')}`),
    answeredByPruneSetting: false,
    prompt: others === 0 ? 'Try nevertheless?' : `Deploy the other ${others === 1 ? 'object' : others}?`,
  };
}

/** Returns the waves with the steps that cannot be applied at the end, but those that another intent waits for. */
export function unservedLast(waves: readonly (readonly Step[])[], unserved: ReadonlySet<Step>): readonly (readonly Step[])[] {
  if (unserved.size === 0) return waves;
  const all = waves.flat();
  const isAwaited = ({ stack, index }: Step) => all.some((step) => step.stack === stack && step.intent.dependsOn?.includes(index));
  const last = [...unserved].filter((step) => !isAwaited(step));
  const isLast = new Set(last);
  return [...waves.map((wave) => wave.filter((step) => !isLast.has(step))), last].filter((wave) => wave.length > 0);
}

function kindText({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${kind} of ${apiVersion}`;
}
