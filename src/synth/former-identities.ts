import type { AppRoot } from '../app/app-root.js';
import { Stack } from '../app/stack.js';
import type { FormerIdentity, StackManifest } from '../assembly/index.js';
import { FieldwiseError } from '../util/error.js';
import { fieldManagerOf } from '../util/field-manager.js';
import type { MergedStack } from './merge/merged-intent.js';

/**
 * Returns all former identities that a stack may still have in a cluster. App, instance and stack may have been renamed at different times,
 * so every combination of old and new names is one.
 */
export function formerIdentitiesOf(app: AppRoot, appName: string, { chart, name }: MergedStack): readonly FormerIdentity[] {
  const both = (now: string, before: string | undefined) => (before === undefined || before === now ? [now] : [now, before]);
  const identities = both(appName, app.renamedFrom.name).flatMap((former) =>
    both(app.instance, app.renamedFrom.instance).flatMap((instance) =>
      both(name, formerPathOf(chart)).map((stack) => ({ app: former, instance, stack })),
    ),
  );
  return identities.slice(1).map((identity) => ({ ...identity, manager: fieldManagerOf(identity) })); // the first is the current identity
}

/** Returns the former path of a stack, by its own `renamedFrom` or by that of the nearest stack above it. */
function formerPathOf(chart: MergedStack['chart']): string | undefined {
  const renamed = chart.node.scopes.reverse().find((scope): scope is Stack => Stack.isStack(scope) && scope.renamedFrom !== undefined);
  return renamed && `${renamed.renamedFrom}${chart.node.path.slice(renamed.node.path.length)}`;
}

/**
 * Rejects a former identity that belongs to another stack, or to two.
 *
 * @throws FieldwiseError `rename-ambiguous`.
 */
export function checkFormerIdentities(stacks: readonly StackManifest[]): void {
  const reservations = new Map(stacks.map(({ manager, name }) => [manager, `stack ${name} has this name now`]));
  for (const { name, formerIdentities = [] } of stacks) {
    for (const { stack, manager } of formerIdentities) {
      const reservation = reservations.get(manager);
      if (reservation !== undefined) {
        throw new FieldwiseError('rename-ambiguous', 'usage', `Stack ${name} was renamed from ${stack}, but ${reservation}`, {
          next: 'The objects of a former stack can move to only one stack. To exchange the names of two stacks, rename them in two deploys.',
        });
      }
      reservations.set(manager, `so was stack ${name}`);
    }
  }
}
