import { declarationText } from '../../assembly/declaration-text.js';
import { objectText } from '../../assembly/identity.js';
import type { PartialObject } from '../../assembly/types.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { resourceIfServed } from '../addresses/address.js';
import { groupKindDefinedBy, groupKindOf } from '../addresses/group-kind.js';
import { ChangedStep, type Step } from '../graph/declared-step.js';

/**
 * Gives each step the namespace that its object really has: the server knows which kinds are namespaced, or a CustomResourceDefinition of
 * the same run says so. Kinds that neither knows stay as they are; their apply fails on its own.
 *
 * @throws FieldwiseError `intent-repeated`, with nothing changed.
 */
export async function resolveScopes(cluster: ClusterClient, steps: readonly Step[]): Promise<Step[]> {
  const declared = scopesDeclared(steps);
  const kinds = new Map(steps.map(({ intent }) => [`${intent.apiVersion} ${intent.kind}`, intent] as const));
  const scopes = new Map<string, boolean | undefined>();
  await Promise.all(
    [...kinds].map(async ([key, { apiVersion, kind }]) => {
      scopes.set(key, declared.get(groupKindOf({ apiVersion, kind })) ?? (await namespacedOnServer(cluster, apiVersion, kind)));
    }),
  );
  const { defaultNamespace } = cluster;
  const changes: ScopeChanges = { namespaced: objectIn({ namespace: defaultNamespace }), clusterScoped: objectIn({}) };
  const scoped = steps.map((step) =>
    withScope(step, scopes.get(`${step.intent.apiVersion} ${step.intent.kind}`), defaultNamespace, changes),
  );
  refuseRepeated(scoped, defaultNamespace);
  return scoped;
}

/** One manager owns what it applied last, so two intents of a stack for one object would undo each other. synth cannot know the namespace. */
function refuseRepeated(steps: readonly Step[], defaultNamespace: string): void {
  const first = new Map<string, Step>();
  for (const step of steps) {
    const key = `${step.stack.name} ${step.key}`;
    const before = first.get(key);
    if (before === undefined) {
      first.set(key, step);
      continue;
    }
    const { stack, intent } = step;
    const [by, and] = [before, step].map((one) => one.intent.declaredBy.map(declarationText).join(', ')) as [string, string];
    const why =
      intent.namespace === undefined ? 'its kind has no namespace' : `a declaration without a namespace means ${defaultNamespace}`;
    throw new FieldwiseError(
      'intent-repeated',
      'usage',
      `Stack ${stack.name} declares ${objectText(intent)} twice, by ${by} and by ${and}: ${why}`,
      {
        location: { object: objectText(intent), ...intent.declaredBy[0] },
        next: 'Nothing was changed. Declare the object once, or name its namespace in both declarations.',
      },
    );
  }
}

async function namespacedOnServer(cluster: ClusterClient, apiVersion: string, kind: string): Promise<boolean | undefined> {
  return (await resourceIfServed(cluster, apiVersion, kind))?.namespaced;
}

function scopesDeclared(steps: readonly Step[]): Map<string, boolean> {
  const scopes = new Map<string, boolean>();
  for (const step of steps) {
    const defined = groupKindDefinedBy(step);
    if (defined !== undefined) scopes.set(defined, (step.object.spec as JsonObject).scope !== 'Cluster');
  }
  return scopes;
}

/** The changes of objects, which thousands of steps have in common. */
interface ScopeChanges {
  readonly namespaced: (object: PartialObject) => PartialObject;
  readonly clusterScoped: (object: PartialObject) => PartialObject;
}

function objectIn(scope: { readonly namespace?: string }): (object: PartialObject) => PartialObject {
  return (object) => {
    const { namespace: _, ...metadata } = object.metadata;
    return { ...object, metadata: { ...metadata, ...scope } };
  };
}

function withScope(step: Step, namespaced: boolean | undefined, defaultNamespace: string, changes: ScopeChanges): Step {
  const { namespace, ...intent } = step.intent;
  if (
    namespaced === undefined ||
    (namespaced && namespace !== undefined) ||
    (!namespaced && namespace === undefined && step.object.metadata.namespace === undefined)
  )
    return step;
  const scoped = { ...intent, ...(namespaced ? { namespace: defaultNamespace } : {}) };
  return new ChangedStep(step, scoped, namespaced ? changes.namespaced : changes.clusterScoped);
}
