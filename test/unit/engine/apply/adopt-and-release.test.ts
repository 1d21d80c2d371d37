import { expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../../src/apiserver/index.js';
import type { IntentPolicy, PartialObject } from '../../../../src/assembly/types.js';
import { applyWithUnionClaims } from '../../../../src/engine/apply/apply-with-union-claims.js';
import { inProcessClient } from '../../../../src/entry/in-process.js';
import { ApiError, type ClusterClient } from '../../../../src/kubernetes/index.js';
import type { Json, JsonObject } from '../../../../src/util/json.js';

const policy = {
  conflicts: 'force',
  fields: {},
  waitSeconds: 0,
  ifAbsent: 'fail',
  adopt: false,
  deletePropagation: 'Background',
  wait: false,
};
const deployment = (spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'x' }] } },
    ...spec,
  },
});
const strategyIn = (body: Json) => ((body as JsonObject).spec as JsonObject | undefined)?.strategy as JsonObject | undefined;
const metadataOf = (object: JsonObject | undefined) => (object?.metadata ?? {}) as JsonObject;

async function created(change: (cluster: ClusterClient) => Partial<ClusterClient>) {
  const cluster = inProcessClient(await EmbeddedApiServer.start({ port: false }), 'default');
  const address = { resource: await cluster.resourceOf('apps/v1', 'Deployment'), namespace: 'default', name: 'web' };
  const before = await cluster.create(address.resource, 'default', deployment() as unknown as Json, 'script');
  const object = deployment({ strategy: { type: 'Recreate' } }) as unknown as PartialObject;
  const task = { address, object, manager: 'stack', policy: policy as IntentPolicy };
  return {
    before,
    find: () => cluster.tryGet(address),
    apply: () => applyWithUnionClaims({ ...cluster, ...change(cluster) }, task),
    cluster,
    address,
  };
}

test('if the intent is rejected for more than the claimed fields, every owner gets its fields back', async () => {
  let claimed = false;
  const { before, find, apply } = await created((cluster) => ({
    async apply(address, body, options) {
      if (strategyIn(body)?.rollingUpdate !== undefined) claimed = true;
      if (claimed && strategyIn(body)?.type === 'Recreate' && options.force) {
        const status = { kind: 'Status', message: 'denied by a policy', reason: 'Invalid', details: { causes: [] } };
        throw new ApiError('PATCH', '/', 422, status as unknown as Json);
      }
      return cluster.apply(address, body, options);
    },
  }));
  await expect(apply()).rejects.toThrow('denied by a policy');
  expect(claimed).toBe(true);
  const after = await find();
  expect(after?.spec).toEqual(before.spec);
  expect(metadataOf(after).managedFields).toEqual(metadataOf(before).managedFields);
});

test('a value that somebody sets between the claim and the intent is not released as if it were the default', async () => {
  let changed = false;
  const { find, apply } = await created((cluster) => ({
    async apply(address, body, options) {
      if (
        strategyIn(body)?.type === 'Recreate' &&
        (await cluster.tryGet(address).then((live) => JSON.stringify(live))).includes('"stack"') &&
        !changed
      ) {
        changed = true;
        const spec = { strategy: { rollingUpdate: { maxSurge: 3 } } };
        await cluster.mergePatch(address, { spec } as unknown as JsonObject, 'person');
      }
      return cluster.apply(address, body, options);
    },
  }));
  await expect(apply()).rejects.toMatchObject({
    code: 'union-member-owned',
    message: expect.stringContaining('.spec.strategy.rollingUpdate of person'),
  });
  expect(changed).toBe(true);
  expect((await find())?.spec).toMatchObject({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3 } } });
});
