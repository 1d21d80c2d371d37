import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PartialObject } from '../../../../src/assembly/types.js';
import { applyIntent } from '../../../../src/engine/apply/apply-intent.js';
import { collateralText } from '../../../../src/engine/object/collateral.js';
import { collateralFields } from '../../../../src/ownership/index.js';
import type { Json, JsonObject } from '../../../../src/util/json.js';
import { apiVersion, definitions, listKeys, policyOf, startWith } from './gateways.js';

type Route = { readonly name: string; readonly to?: string | undefined };

const name = fc.constantFrom('a', 'b', 'c');
const some = fc.option(fc.constantFrom('x', 'y'), { nil: undefined });
const ours = fc.uniqueArray(fc.record({ name, to: some }, { requiredKeys: ['name'] }), { selector: ({ name }) => name, maxLength: 3 });
/** The stack deploys, or another client writes the list again: with a value of an item changed, or with another item of some key. */
const act = fc.oneof(
  fc.record({ who: fc.constant('me' as const), conflicts: fc.constantFrom('fail', 'yield', 'force'), routes: ours }),
  fc.record({ who: fc.constantFrom('updater' as const, 'applier' as const), change: fc.boolean(), name }),
);

/** Values that others wrote; each is written once. */
const foreignIn = (object: JsonObject | undefined) =>
  [...JSON.stringify(object?.spec ?? {}).matchAll(/foreign-\d+/g)].map(([value]) => value);

test.each(definitions)(
  'no value of others in a list described $described goes without a word, second items of a key included',
  async ({ definition }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 9 }), async (acts) => {
        const { server, cluster, resource, address } = await startWith(definition);
        const objectOf = (routes: readonly Route[]) =>
          JSON.parse(JSON.stringify({ apiVersion, kind: 'Gateway', metadata: { name: 'one', namespace: 'default' }, spec: { routes } }));
        await server.create(resource, 'default', objectOf([{ name: 'z', to: 'foreign-0' }]), 'creator');
        for (const [index, step] of acts.entries()) {
          const live = (await server.tryGet(address)) as JsonObject;
          if (step.who !== 'me') {
            const value = { name: step.name, to: `foreign-${index + 1}` };
            const routes = (live.spec as { routes?: readonly Route[] }).routes ?? [];
            const changed = step.change ? routes.findIndex((route) => route.name === step.name) : -1;
            const written = changed < 0 ? [...routes, value] : routes.with(changed, { ...routes[changed], ...value });
            if (step.who === 'applier') await server.apply(address, objectOf(written) as Json, { manager: step.who, force: true });
            else await server.mergePatch(address, { spec: { routes: written } as Json }, step.who);
            continue;
          }
          const object = objectOf(step.routes) as PartialObject;
          const approvedCollateral = new Set(collateralFields(live, object, ['me']).map(collateralText));
          const task = { address, object, manager: 'me', policy: policyOf(step.conflicts), approvedCollateral, dynamic: { listKeys } };
          const applied = await applyIntent(cluster, task);
          const now = await server.tryGet(address);
          if (applied.outcome === 'conflict') {
            expect(now).toEqual(live);
            continue;
          }
          if (step.conflicts !== 'force') expect(applied.forcedConflicts).toEqual([]);
          const lost = foreignIn(live).filter((value) => !foreignIn(now).includes(value));
          const told = JSON.stringify([...applied.forcedConflicts, ...applied.collateral].map(({ oldValue }) => oldValue));
          expect(lost.filter((value) => !told.includes(value))).toEqual([]);
          const yielded = applied.yielded.flatMap(({ oldValue }) => foreignIn({ spec: oldValue ?? null }));
          expect(yielded.filter((value) => !foreignIn(now).includes(value))).toEqual([]);
        }
      }),
      { numRuns: 60, seed: 13 },
    );
  },
  120_000,
);
