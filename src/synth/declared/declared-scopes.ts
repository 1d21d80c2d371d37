import { groupOf } from '../../assembly/index.js';
import { isJsonObject } from '../../util/json.js';
import type { Declared, DeclaredStack } from './declared.js';

/**
 * Removes the namespace of the stack from objects whose kind is cluster-scoped according to a CustomResourceDefinition or a builder of the
 * same app: cdk8s sets the namespace on every object of a chart, and a literal alone does not show its scope.
 */
export function withDeclaredScopes(stacks: readonly DeclaredStack[]): readonly DeclaredStack[] {
  const clusterScoped = new Set<string>();
  for (const { declared } of stacks) {
    for (const { object, root } of declared) {
      if (root?.scope === 'Cluster') clusterScoped.add(`${groupOf(root.apiVersion)}/${root.kind}`);
      const { spec } = object;
      if (object.kind !== 'CustomResourceDefinition' || !isJsonObject(spec) || spec.scope !== 'Cluster') continue;
      if (isJsonObject(spec.names)) clusterScoped.add(`${String(spec.group)}/${String(spec.names.kind)}`);
    }
  }
  if (clusterScoped.size === 0) return stacks;
  return stacks.map((stack) => ({
    ...stack,
    declared: stack.declared.map((one) =>
      clusterScoped.has(`${groupOf(one.object.apiVersion)}/${one.object.kind}`) ? withoutNamespace(one, stack.chart.namespace) : one,
    ),
  }));
}

/** Removes the namespace of the stack. A different namespace in a literal stays, and the server reports it. */
function withoutNamespace(declared: Declared, ofStack: string | undefined): Declared {
  const { namespace, ...metadata } = declared.object.metadata;
  if (namespace === undefined || namespace !== ofStack) return declared;
  return { ...declared, object: { ...declared.object, metadata } as Declared['object'] };
}
