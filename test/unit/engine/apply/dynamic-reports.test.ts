import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IntentPolicy, PartialObject } from '../../../../src/assembly/types.js';
import { applyIntent } from '../../../../src/engine/apply/apply-intent.js';
import type { Step } from '../../../../src/engine/graph/waves.js';
import { OwnerNameResolver } from '../../../../src/engine/inventory/owner-name-resolver.js';
import { collateralText } from '../../../../src/engine/object/collateral.js';
import type { PlannedField } from '../../../../src/engine/report/plan-types.js';
import { collateralFields, type FieldConflict } from '../../../../src/ownership/index.js';
import { dryRun } from '../../../../src/plan/dry-run.js';
import type { Json, JsonObject } from '../../../../src/util/json.js';
import { apiVersion, definitions, listKeys, policyOf, startWith } from './gateways.js';

type Spec = {
  readonly class?: string;
  readonly routes?: readonly { readonly name: string; readonly to?: string; readonly weight?: number }[];
};

const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const item = fc.record({ name: fc.constantFrom('a', 'b', 'c'), to: some(fc.constantFrom('x', 'y')), weight: some(fc.constantFrom(1, 2)) });
const spec: fc.Arbitrary<Spec> = fc
  .record({ class: some(fc.constantFrom('p', 'q')), routes: fc.uniqueArray(item, { selector: ({ name }) => name, maxLength: 3 }) })
  .map((value) => JSON.parse(JSON.stringify(value)) as Spec);
const act = fc.record({
  who: fc.constantFrom('me', 'me', 'updater', 'applier'),
  conflicts: fc.constantFrom('force', 'force', 'fail'),
  spec,
});

/** Values by path, the items of the list by their name. */
function leavesOf({ class: kind, routes = [] }: Spec): ReadonlyMap<string, Json> {
  const leaves: [string, Json][] = kind === undefined ? [] : [['.spec.class', kind]];
  for (const { name, ...others } of routes) {
    for (const [field, value] of Object.entries(others)) leaves.push([`.spec.routes[name="${name}"].${field}`, value]);
  }
  return new Map(leaves);
}

/** Merges a manager's fields into the current ones, like a controller that keeps unknown fields. */
function withFieldsOf(live: Spec, over: Spec): Spec {
  const names = [...new Set([...(live.routes ?? []), ...(over.routes ?? [])].map(({ name }) => name))];
  const byName = ({ routes = [] }: Spec, name: string) => routes.find((candidate) => candidate.name === name) ?? { name };
  const routes = names.map((name) => ({ ...byName(live, name), ...byName(over, name) }));
  return { ...live, ...over, ...(routes.length > 0 ? { routes } : {}) };
}

/** Returns true if others own a field by managedFields. A manager that updated a list owns the whole list, and no item. */
function isOwnedByOthers(live: JsonObject, path: string): boolean {
  return othersAt(live, path).some((operation) => path === '.spec.class' || operation === 'Apply');
}

function isWritten(live: JsonObject, path: string): boolean {
  return othersAt(live, path).length > 0;
}

/** Returns the operations by which others own a field, or the list that contains it. */
function othersAt({ metadata }: JsonObject, path: string): readonly string[] {
  const { managedFields = [] } = metadata as { managedFields?: readonly { manager: string; operation: string; fieldsV1: JsonObject }[] };
  const name = path === '.spec.class' ? 'f:class' : 'f:routes';
  const named = managedFields.filter(({ manager, fieldsV1 }) => manager !== 'me' && name in ((fieldsV1['f:spec'] ?? {}) as JsonObject));
  return named.map(({ operation }) => operation);
}

const list = '.spec.routes';

/** Returns true if another manager applies the list as one value, by managedFields. */
function appliesList(live: JsonObject): boolean {
  return othersAt(live, list).includes('Apply');
}

/** A step of a plan, as far as a dry run needs it. */
function stepOf(object: PartialObject, policy: IntentPolicy): Step {
  const { name, namespace } = object.metadata as { name: string; namespace: string };
  const intent = { apiVersion, kind: 'Gateway', name, namespace, lifecycle: 'share', policy };
  return { stack: { name: 'me', manager: 'me', intents: [] }, index: 0, key: 'one', intent, object } as unknown as Step;
}

const names = new OwnerNameResolver('app', 'default', new Map());

/** Returns the fields that a plan lists as forced or removed collaterally, with the value before. */
function plannedLosses(fields: readonly PlannedField[]): readonly string[] {
  const taken = fields.filter(({ change }) => change === 'force');
  const removed = fields.flatMap(({ change, owners, collateral = [], ...field }) => [
    ...(change === 'removed' && owners ? [field] : []),
    ...collateral,
  ]);
  return [...new Set([...taken, ...removed].map(({ field, oldValue }) => `${field}: ${JSON.stringify(oldValue)}`))].sort();
}

/** Returns the same of the conflicts and collateral fields of a report. */
const reportedLosses = (fields: readonly FieldConflict[]) =>
  [...new Set(fields.map(({ field, oldValue }) => `${field}: ${JSON.stringify(oldValue)}`))].sort();

test.each(definitions)(
  'plan and report name every field of others that changed or was forced, of lists described $described',
  async ({ definition }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 8 }), async (acts) => {
        const { server, cluster, resource, address } = await startWith(definition);
        const objectOf = (value: Spec) => ({ apiVersion, kind: 'Gateway', metadata: { name: 'one', namespace: 'default' }, spec: value });
        const read = async () => ((await server.tryGet(address))?.spec ?? {}) as Spec;
        /** Paths that had the same value before this manager declared them, or that somebody else applied with the whole list. */
        let preexisting: ReadonlySet<string> = new Set();
        let mine: ReadonlyMap<string, Json> = new Map();
        const first = { who: 'updater', spec: { class: 'p' } as Spec, conflicts: 'force' };
        for (const { who, spec: wanted, conflicts } of [first, ...acts]) {
          const live = await server.tryGet(address);
          const [there, before] = [await read(), leavesOf(await read())];
          if (who === 'me') {
            const object = objectOf(wanted) as unknown as PartialObject;
            const agreed = new Set(collateralFields(live as JsonObject, object, ['me']).map(collateralText));
            const policy = policyOf(conflicts);
            const task = { address, object, manager: 'me', policy, approvedCollateral: agreed, dynamic: { listKeys } };
            const planned = live && (await dryRun(stepOf(object, policy), { cluster, live, known: undefined, names })).plannedChange.fields;
            const applied = await applyIntent(cluster, task);
            if (applied.outcome === 'conflict') {
              expect(await server.tryGet(address)).toEqual(live);
              continue;
            }
            if (conflicts === 'fail') expect(applied.forcedConflicts).toEqual([]);
            const after = leavesOf(await read());
            // A preexisting field of an item that this manager introduced becomes its own, and is removed with the item.
            const isTheirs = (path: string, value: Json) =>
              isOwnedByOthers(live as JsonObject, path) ||
              mine.get(path) !== value ||
              (after.has(path) && preexisting.has(path) && isWritten(live as JsonObject, path));
            const lost = [...before].filter(([path, value]) => after.get(path) !== value && isTheirs(path, value));
            const wholes = applied.forcedConflicts.filter(({ field }) => field === list);
            const isInside = (path: string) => wholes.length > 0 && path.startsWith(list);
            const fields = [...applied.forcedConflicts, ...applied.collateral].filter(({ field }) => !isInside(field));
            expect(reportedLosses(fields)).toEqual(
              lost.flatMap(([path, value]) => (isInside(path) ? [] : [`${path}: ${JSON.stringify(value)}`])).sort(),
            );
            for (const { field, newValue } of applied.forcedConflicts.filter(({ field }) => field !== list))
              expect([field, newValue]).toEqual([field, after.get(field)]);
            const routes = { oldValue: there.routes, newValue: (await read()).routes };
            expect(wholes).toEqual(wholes.map(() => ({ field: list, from: 'applier', operation: 'Apply', ...routes })));
            const isTaken = appliesList(live as JsonObject) && !appliesList((await server.tryGet(address)) as JsonObject);
            expect(applied.forcedConflicts.some(({ field, from }) => from === 'applier' && field.startsWith(list))).toBe(isTaken);
            expect(planned && plannedLosses(planned)).toEqual(
              planned && reportedLosses([...applied.forcedConflicts, ...applied.collateral]),
            );
            const known = mine;
            mine = leavesOf(wanted);
            const wasThere = (path: string, value: Json) =>
              known.get(path) !== value || preexisting.has(path) || (path.startsWith(list) && appliesList(live as JsonObject));
            preexisting = new Set(
              [...mine].flatMap(([path, value]) => (before.get(path) === value && wasThere(path, value) ? [path] : [])),
            );
          } else {
            const whole = withFieldsOf(there, wanted);
            if (who === 'applier') await server.apply(address, objectOf(whole) as unknown as Json, { manager: who, force: true });
            else if (live) await server.mergePatch(address, { spec: whole as unknown as Json }, who);
            else await server.create(resource, 'default', objectOf(whole) as unknown as JsonObject, who);
          }
        }
      }),
      { numRuns: 60, seed: 13 },
    );
  },
  120_000,
);
