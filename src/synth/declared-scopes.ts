import { groupOf } from '../assembly/index.js';
import { isJsonObject } from '../util/json.js';
import type { Declared, DeclaredStack } from './declared.js';

/**
 * Takes the stack's namespace back from objects whose kind is cluster-scoped by a CustomResourceDefinition or a builder of the same
 * app: cdk8s gives every object of a chart its namespace, and a literal alone does not tell its scope either.
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

/** A namespace that a literal names itself stays: the server will say what is wrong with it. */
function withoutNamespace(declared: Declared, ofStack: string | undefined): Declared {
  const { namespace, ...metadata } = declared.object.metadata;
  if (namespace === undefined || namespace !== ofStack) return declared;
  return { ...declared, object: { ...declared.object, metadata } as Declared['object'] };
}
