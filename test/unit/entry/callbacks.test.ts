import { expect, test } from 'vitest';
import type { Assembly } from '../../../src/assembly/types.js';
import type { ObjectReport, RunReport } from '../../../src/deploy/index.js';
import { CallbackError, type DeployEvent, deploy, destroy, plan } from '../../../src/entry/deploy.js';
import { FieldwiseError } from '../../../src/entry/index.js';
import { publicCluster } from '../../../src/kubernetes/cluster.js';
import { configMap, dataOf, program, programOf, removeProgramsAfterAll, server } from '../deploy/run-fixture.js';

removeProgramsAfterAll();

const options = { wait: false, deletionTimeoutSeconds: 0 };
const resultsOf = ({ objects }: RunReport) => objects.map(({ result, object }: ObjectReport) => `${result} ${object}`);

/** A server on which a program is deployed. */
async function deployed(assembly: Assembly) {
  const { cluster: client, writes } = await server();
  const cluster = publicCluster(client);
  await deploy(assembly, cluster, options);
  writes.length = 0;
  return { cluster, client, writes };
}

const two = () => program(configMap('a', { x: '1' }), configMap('b', { x: '1' }));

test('`yes` answers every question of a deploy and of a destroy, and nobody is asked', async () => {
  const { cluster } = await deployed(await two());
  const asked: string[] = [];
  const confirm = async ({ text }: { readonly text: string }) => asked.push(text) < 0;
  const one = await program(configMap('a', { x: '1' }));
  await expect(deploy(one, cluster, options)).rejects.toMatchObject({
    code: 'confirmation-needed',
    next: expect.stringContaining('library: `yes: true`'),
    questions: [{ objects: ['delete ConfigMap default/b'] }],
  });
  expect(resultsOf(await deploy(one, cluster, { ...options, yes: true, confirm }))).toContain('deleted ConfigMap default/b');
  await expect(destroy(one, cluster, options)).rejects.toMatchObject({ questions: [{ objects: ['delete ConfigMap default/a'] }] });
  expect(resultsOf(await destroy(one, cluster, { ...options, yes: true }))).toEqual(['deleted ConfigMap default/a']);
  expect(asked).toEqual([]);
});

test('`yes` also destroys stacks that the program does not declare, and takes fields of others by force', async () => {
  const { cluster, client } = await deployed(await program(configMap('a', { x: '1' })));
  await cluster.apply(configMap('met', { x: 'theirs' }, { namespace: 'default' }), { manager: 'somebody' });
  const another = await programOf('other', configMap('met', { x: 'ours' }));
  const report = await deploy(another, cluster, { ...options, pruneStacks: true, yes: true });
  expect(resultsOf(report)).toEqual(['updated ConfigMap default/met', 'deleted ConfigMap default/a']);
  expect(await dataOf(client, 'met')).toEqual({ x: 'ours' });
});

test('only true is a yes', async () => {
  const assembly = await two();
  const { cluster } = await deployed(assembly);
  const confirm = (async () => 'no') as never;
  await expect(destroy(assembly, cluster, { ...options, confirm })).rejects.toMatchObject({ code: 'confirmation-needed' });
});

test.each([
  ['throws', () => Promise.reject(new Error('the terminal is closed'))],
  [
    'throws at once',
    () => {
      throw new Error('the terminal is closed');
    },
  ],
])('a run whose `confirm` %s changes nothing, names its error, and leaves no lock', async (_, confirm) => {
  const assembly = await two();
  const { cluster, client, writes } = await deployed(assembly);
  const events: DeployEvent[] = [];
  const onEvent = (event: DeployEvent) => events.push(event);
  await expect(destroy(assembly, cluster, { ...options, confirm, onEvent })).rejects.toMatchObject({
    code: 'callback-failed',
    kind: 'usage',
    message: 'Nothing was changed: the function `confirm` threw an error: the terminal is closed',
    cause: expect.objectContaining({ message: 'the terminal is closed' }),
  });
  expect(events.map(({ event }) => event)).toEqual(['started', 'refused', 'object', 'object', 'summary']);
  expect(writes).toEqual(['PUT leases', 'PUT leases']);
  expect(await dataOf(client, 'a')).toEqual({ x: '1' });
});

test.each(['started', 'object', 'summary'])(
  'a run whose `onEvent` throws at %s ends as others do, and its report is in the error',
  async (at) => {
    const { cluster: client, writes } = await server();
    const events: string[] = [];
    const onEvent = ({ event }: DeployEvent) => {
      events.push(event);
      if (event === at) throw new Error(`boom ${events.length}`);
    };
    const cluster = publicCluster(client);
    const error = await deploy(await two(), cluster, { ...options, onEvent }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CallbackError);
    expect(error).toBeInstanceOf(FieldwiseError);
    expect(error).toMatchObject({ code: 'callback-failed', cause: { message: `boom ${events.indexOf(at) + 1}` } });
    const { report } = error as CallbackError;
    expect(report).toMatchObject({ summary: { ok: true, counts: { created: 2 } }, finishedAt: expect.any(String) });
    expect(resultsOf(report)).toEqual(['created ConfigMap default/a', 'created ConfigMap default/b']);
    expect(events).toEqual(['started', 'object', 'object', 'summary']);
    expect(writes.at(-1)).toBe('PUT leases');
  },
);

test('an error of the run wins over that of `onEvent`, and a plan has no report', async () => {
  const assembly = await two();
  const { cluster } = await deployed(assembly);
  const onEvent = () => {
    throw new Error('boom');
  };
  const refused = await destroy(assembly, cluster, { ...options, onEvent }).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ code: 'confirmation-needed' });
  expect(refused).not.toBeInstanceOf(CallbackError);
  await expect(plan(assembly, cluster, { onEvent })).rejects.toMatchObject({ code: 'callback-failed', cause: { message: 'boom' } });
});

test('an async `onEvent` that rejects does not end the run, and is a CallbackError after it', async () => {
  const { cluster } = await server();
  const onEvent = async () => Promise.reject(new Error('the log is gone'));
  const error = await deploy(await program(configMap('a', { x: '1' })), publicCluster(cluster), { ...options, onEvent }).catch(
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(CallbackError);
  expect(error).toMatchObject({ cause: { message: 'the log is gone' } });
  expect(resultsOf((error as CallbackError).report)).toEqual(['created ConfigMap default/a']);
});
