import type { AppRoot } from '../app/app-root.js';
import { Stack } from '../app/stack.js';
import type { FormerIdentity, StackManifest } from '../assembly/index.js';
import { FieldwiseError } from '../util/error.js';
import { fieldManagerOf } from '../util/field-manager.js';
import type { MergedStack } from './merged-intent.js';

/**
 * Every identity that a stack may still have in a cluster. App, instance and stack may have been renamed at different times, so each
 * mixture of old and new names is one.
 */
export function formerIdentitiesOf(app: AppRoot, appName: string, { chart, name }: MergedStack): readonly FormerIdentity[] {
  const both = (now: string, before: string | undefined) => (before === undefined || before === now ? [now] : [now, before]);
  const identities = both(appName, app.renamedFrom.name).flatMap((former) =>
    both(app.instance, app.renamedFrom.instance).flatMap((instance) =>
      both(name, formerPathOf(chart)).map((stack) => ({ app: former, instance, stack })),
    ),
  );
  return identities.slice(1).map((identity) => ({ ...identity, manager: fieldManagerOf(identity) })); // the first is what it is now
}

/** By its own `renamedFrom`, or by that of the nearest stack above it. */
function formerPathOf(chart: MergedStack['chart']): string | undefined {
  const renamed = chart.node.scopes.reverse().find((scope): scope is Stack => Stack.isStack(scope) && scope.renamedFrom !== undefined);
  return renamed && `${renamed.renamedFrom}${chart.node.path.slice(renamed.node.path.length)}`;
}

/** @throws FieldwiseError `rename-ambiguous` where a former identity is that of another stack, or of two. */
export function checkFormerIdentities(stacks: readonly StackManifest[]): void {
  const reservations = new Map(stacks.map(({ manager, name }) => [manager, `stack ${name} has that name now`]));
  for (const { name, formerIdentities = [] } of stacks) {
    for (const { stack, manager } of formerIdentities) {
      const reservation = reservations.get(manager);
      if (reservation !== undefined) {
        throw new FieldwiseError('rename-ambiguous', 'usage', `Stack ${name} says it was renamed from ${stack}, and ${reservation}`, {
          next: 'What that stack has in the cluster can go to one stack only; rename in two deploys where names change places.',
        });
      }
      reservations.set(manager, `so does stack ${name}`);
    }
  }
}
