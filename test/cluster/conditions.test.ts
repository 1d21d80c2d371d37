import { join } from 'node:path';
import { Controller, connect, type ReconcileResult, reconcileWithConditions } from 'fieldwise/controller';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ResponseBody } from '../harness/api-client.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('conditions');
const { namespace, cluster } = testEnvironment;
const connection = await connect({ kubeconfig: testEnvironment.kubeconfig, namespace });
testEnvironment.onCleanup(() => connection.close());
const controller = new Controller(connection, { manager: 'controller' });

const since = '2026-01-31T12:00:00Z';
const backup = (message: string, status = 'True') => ({ type: 'Backup', status, reason: 'Ran', message, lastTransitionTime: since });
const conditionsOf = ({ status }: ResponseBody): Record<string, ResponseBody> =>
  Object.fromEntries((status?.conditions ?? []).map((condition: ResponseBody) => [condition.type, condition]));
/** The conditions that a manager owns, by type, innermost fields left out. */
const typesOf = (owners: Record<string, string[]>, owner: string) => [
  ...new Set((owners[owner] ?? []).flatMap((field) => /conditions\[type="(\w+)"\]/.exec(field)?.[1] ?? [])),
];

/** The Shop of the example, and the same kind with a list of conditions that is one value. */
const kinds = {
  keyed: { group: `${namespace}.example.com`, change: (text: string) => text },
  atomic: {
    group: `atomic.${namespace}.example.com`,
    change: (text: string) =>
      text.replace('x-kubernetes-list-type: map', 'x-kubernetes-list-type: atomic').replace(/.*list-map-keys.*\n/, ''),
  },
};

describe.each(['keyed', 'atomic'] as const)('reconcileWithConditions beside a rival, where the list of conditions is %s', (form) => {
  const { group, change } = kinds[form];
  const project = testEnvironment.example('operator', (text) => change(text.replaceAll('shop.example.com', group)));
  const shopOf = (name: string) => testEnvironment.ref(`${group}/v1`, 'Shop', name);
  const create = (name: string) => cluster.apply('team', { ...shopOf(name), spec: { image: 'shop:1' } });
  let shopStatus: ResponseBody;

  beforeAll(async () => {
    await testEnvironment.crd(parse(project.read('crd.yaml')));
    expect(await project.run(['import', 'crd.yaml', '--outdir', 'imports'])).toMatchObject({ exitCode: 0 });
    ({ shopStatus } = await import(/* @vite-ignore */ join(project.directory, 'imports', group, 'v1.ts')));
  });

  const pathOf = async (name: string) => `${await cluster.path(shopOf(name))}/status`;

  async function applyBackup(name: string, message: string): Promise<void> {
    const body = { ...shopOf(name), status: { conditions: [backup(message)] } };
    const query = { fieldManager: 'rival' };
    await cluster.client.call('PATCH', await pathOf(name), { body, contentType: 'application/apply-patch+yaml', query });
  }

  /** Read, change, write under the resourceVersion, as client-go's controllers do; again where somebody wrote in between. */
  async function updateBackup(name: string, message: string): Promise<void> {
    for (;;) {
      const live = await cluster.get(shopOf(name));
      const others = (live.status?.conditions ?? []).filter(({ type }: ResponseBody) => type !== 'Backup');
      const body = { ...live, status: { ...live.status, conditions: [...others, backup(message)] } };
      const written = await cluster.client.call('PUT', await pathOf(name), { body, query: { fieldManager: 'rival' } }).catch((error) => {
        if (error.status === 409) return undefined;
        throw error;
      });
      if (written) return;
    }
  }

  const rivals =
    form === 'keyed'
      ? [
          { by: 'apply', write: applyBackup, owner: 'rival (status)' },
          { by: 'update', write: updateBackup, owner: 'rival (Update, status)' },
        ]
      : [{ by: 'update', write: updateBackup, owner: 'rival (Update, status)' }];

  test.each(rivals)('what a rival sets by $by in the middle of a reconcile survives with its owner', async ({ by, write, owner }) => {
    const name = `middle-${by}`;
    await create(name);
    await write(name, 'before');
    const reconcile = reconcileWithConditions(controller, shopStatus, async (): Promise<ReconcileResult> => {
      await write(name, 'in the middle');
      return { state: 'ready', reason: 'Serving' };
    });
    await reconcile(await cluster.get(shopOf(name)));
    const live = await cluster.get(shopOf(name));
    expect(conditionsOf(live)).toMatchObject({ Backup: backup('in the middle'), Ready: { status: 'True' } });
    if (form === 'atomic') return; // one value has one owner
    const owners = await cluster.owners(shopOf(name));
    expect(typesOf(owners, owner)).toEqual(['Backup']);
    expect(typesOf(owners, 'controller (status)')).toEqual(['Ready']);
  });

  test('two controllers at once, 200 rounds: each condition is as its controller set it last', async () => {
    await create('rounds');
    const states = ['ready', 'reconciling', 'stalled'] as const;
    const expected = {
      ready: { Ready: 'True' },
      reconciling: { Ready: 'False', Reconciling: 'True' },
      stalled: { Ready: 'False', Stalled: 'True' },
    };
    const { write, owner } = rivals[0]!;
    for (let round = 0; round < 200; round++) {
      const state = states[round % 3]!;
      const reconcile = reconcileWithConditions(controller, shopStatus, async () => ({ state, reason: 'Round', message: `${round}` }));
      const live = await cluster.get(shopOf('rounds'));
      await Promise.all([reconcile(live), write('rounds', `${round}`)]);
      const after = await cluster.get(shopOf('rounds'));
      const { Backup, ...own } = conditionsOf(after);
      expect(Backup, `round ${round}`).toEqual(backup(`${round}`));
      expect(Object.fromEntries(Object.entries(own).map(([type, { status }]) => [type, status])), `round ${round}`).toEqual(
        expected[state],
      );
      if (form === 'atomic') continue;
      const owners = await cluster.owners(shopOf('rounds'));
      expect(typesOf(owners, owner), `round ${round}`).toEqual(['Backup']);
      expect(typesOf(owners, 'controller (status)').toSorted(), `round ${round}`).toEqual(Object.keys(expected[state]).toSorted());
    }
  }, 300_000);

  test('a failure keeps what the controller has applied, and nothing of a rival', async () => {
    await create('failing');
    let failing = false;
    const reconcile = reconcileWithConditions(controller, shopStatus, async () => {
      if (failing) throw new Error('not now');
      return { state: 'ready', reason: 'Serving', status: { address: 'here' } };
    });
    await reconcile(await cluster.get(shopOf('failing')));
    await updateBackup('failing', 'by a rival');
    failing = true;
    await expect(reconcile(await cluster.get(shopOf('failing')))).rejects.toThrow('not now');
    const live = await cluster.get(shopOf('failing'));
    expect(live.status.address).toBe('here');
    expect(conditionsOf(live)).toMatchObject({ Backup: backup('by a rival'), Ready: { status: 'False' }, Stalled: { status: 'True' } });
    if (form === 'keyed') expect(typesOf(await cluster.owners(shopOf('failing')), 'controller (status)')).toEqual(['Ready', 'Stalled']);
  });

  test('a condition that the controller itself applied stays declared, in the version that is there', async () => {
    await create('own');
    const live = await cluster.get(shopOf('own'));
    const own = { type: 'Directory', status: 'True', reason: 'Listed', message: '', lastTransitionTime: since };
    await controller.applyStatus(shopStatus('own', namespace).withStatus({ conditions: [own] }));
    const reconcile = reconcileWithConditions(controller, shopStatus, async () => ({ state: 'ready', reason: 'Serving' }));
    await reconcile(live); // as a cache gives it: older than the apply
    expect(conditionsOf(await cluster.get(shopOf('own')))).toMatchObject({ Directory: own, Ready: { status: 'True' } });
  });

  const testAtomic = form === 'atomic' ? test : () => undefined;
  testAtomic('a condition of a rival with a number that no builder holds is not written again, rounded', async () => {
    const name = 'beyond';
    await create(name);
    await updateBackup(name, 'before');
    const { client } = cluster;
    const url = new URL(client.connection.server.replace(/\/$/, '') + (await pathOf(name)));
    const rival = `[{"op":"add","path":"/status/conditions/0/observedGeneration","value":9007199254740993}]`;
    const headers = { 'content-type': 'application/json-patch+json' };
    expect((await client.raw('PATCH', url, headers, Buffer.from(rival))).status).toBe(200);
    const reconcile = reconcileWithConditions(controller, shopStatus, async () => ({ state: 'ready', reason: 'Serving' }));
    await expect(reconcile(await cluster.get(shopOf(name)))).rejects.toMatchObject({
      code: 'intent-invalid',
      message: expect.stringContaining('the bigint 9007199254740993 is not a JSON value'),
    });
    expect((await client.raw('GET', url, {}, undefined)).text).toContain('"observedGeneration":9007199254740993');
  });

  test('an object of the same name that came later is left alone', async () => {
    await create('again');
    const live = await cluster.get(shopOf('again'));
    const reconcile = reconcileWithConditions(controller, shopStatus, async () => {
      await cluster.remove(shopOf('again'));
      await create('again');
      return { state: 'ready', reason: 'Serving' };
    });
    expect(await reconcile(live)).toEqual({ outcome: 'absent' });
    expect((await cluster.get(shopOf('again'))).status).toBeUndefined();
  });
});
