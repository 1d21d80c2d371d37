import type { Assembly, StackManifest } from '../../assembly/types.js';
import { intentStepsOf, type Step } from '../../engine/graph/waves.js';
import { effectiveSteps } from '../../engine/prepare/effective-strategy.js';
import { selectStacks } from '../../engine/prepare/select-stacks.js';
import type { RunOptions } from '../../engine/run/options.js';
import { pathCovers } from '../../fields/index.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import type { JsonObject } from '../../util/json.js';
import { type GuardRequest, guardPolicies } from './guard-policies.js';
import { type GuardedField, guardedFieldsOf } from './guarded-fields.js';
import { type GuardedKind, GuardedKinds } from './guarded-kinds.js';
import type { GuardedObject } from './split-into-policies.js';

export type GuardOptions = Pick<RunOptions, 'stacks' | 'strategy'> & Pick<GuardRequest, 'deployers' | 'breakGlass' | 'deny'>;

/** An intent with its guarded fields. */
export interface GuardedStep {
  readonly step: Step;
  readonly fields: readonly GuardedField[];
}

/** The guards of stacks. */
export interface Guards {
  /** Policies, each followed by its binding. */
  readonly manifests: readonly JsonObject[];
  readonly steps: readonly GuardedStep[];
  /** Kinds whose type is unknown, such as `example.com/v1 Widget`: each of their lists is guarded as one value. */
  readonly untyped: readonly string[];
  /** Kinds whose definition cannot be read: writes to a scale subresource are not guarded. */
  readonly undefinedKinds: readonly string[];
}

/**
 * Returns the policies that let only the deployers change the fields which the selected stacks declare.
 *
 * @throws FieldwiseError `stack-unknown`; `kind-unknown` if neither the server nor the assembly defines a kind.
 */
export async function guardsOf(assembly: Assembly, cluster: ClusterClient, options: GuardOptions): Promise<Guards> {
  const all = intentStepsOf(assembly, assembly.manifest.stacks);
  const kinds = new GuardedKinds(cluster, all);
  const stacks = selectStacks(assembly, options.stacks);
  const steps = await effectiveSteps(cluster, intentStepsOf(assembly, stacks), options, () => {});
  const manifests: JsonObject[] = [];
  const guarded: GuardedStep[] = [];
  const untyped = new Set<string>();
  const undefinedKinds = new Set<string>();
  for (const stack of stacks) {
    const requests = new Map<string, GuardRequest & { readonly objects: GuardedObject[] }>();
    for (const step of steps.filter((one) => one.stack === stack)) {
      const { apiVersion, kind: kindName, lifecycle, namespace, name } = step.intent;
      const kind = await kinds.of(step.intent);
      if (kind.root === undefined) untyped.add(`${apiVersion} ${kindName}`);
      if (kind.isDefinitionUnread) undefinedKinds.add(`${apiVersion} ${kindName}`);
      const fields = guardedFieldsOf(step, kind.root);
      if (fields.length === 0) continue;
      guarded.push({ step, fields });
      const key = JSON.stringify([apiVersion, kindName, namespace, lifecycle]);
      const request = requests.get(key) ?? requestFor(assembly, stack, step, kind, options);
      requests.set(key, request);
      request.objects.push(guardedObject(name, fields, kind));
    }
    manifests.push(...[...requests.keys()].sort().flatMap((key) => guardPolicies(requests.get(key) as GuardRequest)));
  }
  return { manifests, steps: guarded, untyped: [...untyped], undefinedKinds: [...undefinedKinds] };
}

function requestFor(
  { manifest: { app, instance } }: Assembly,
  { name, manager }: StackManifest,
  { intent }: Step,
  kind: GuardedKind,
  options: GuardOptions,
) {
  const { deployers, breakGlass, deny } = options;
  return {
    stack: { app, instance, stack: name, manager },
    deployers,
    ...(breakGlass === undefined ? {} : { breakGlass }),
    deny,
    resource: kind.resource,
    ...(intent.namespace === undefined ? {} : { namespace: intent.namespace }),
    lifecycle: intent.lifecycle,
    subresources: kind.subresources,
    objects: [],
  };
}

const scaleReplicas = ['spec', 'replicas'].map((name) => ({ kind: 'field', name }) as const);

function guardedObject(name: string, fields: readonly GuardedField[], { replicas }: GuardedKind): GuardedObject {
  // The replicas are declared, or are part of a value that is guarded as a whole.
  const scaled = fields.find(({ text, compares }) => compares === 'value' && replicas !== undefined && pathCovers(text, replicas));
  return { name, fields, ...(scaled === undefined ? {} : { replicas: { ...scaled, path: scaleReplicas } }) };
}
