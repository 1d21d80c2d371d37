import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'fieldwise';
import { deploy, type RunReport } from 'fieldwise/deploy';
import { EmbeddedApiServer, inProcessCluster } from 'fieldwise/embedded';
import { afterAll, describe, expect, test } from 'vitest';

// A run takes `h` from somebody, and a request for the same object fails, or the run is interrupted, before or after it: at each request in
// turn. Whatever the owner has lost is in the report, so that it can be given back.

const directory = mkdtempSync(join(tmpdir(), 'fieldwise-forced-'));
const server = await EmbeddedApiServer.start({ port: false });
const cluster = inProcessCluster(server);
let count = 0;

afterAll(async () => {
  cluster.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

type Declare = (app: App, config: (data: Record<string, string>) => object) => void;
type Declaration = Parameters<Stack['share']>[0];

const stack = (app: App, name = 'r', props: object = {}) => new Stack(app, name, { namespace: 'default', ...props });
const former: Declare = (app, config) => stack(app).share(config({ old: '1' }) as Declaration);
const formerDynamic: Declare = (app, config) => stack(app).share(config({ old: '1' }) as Declaration, { strategy: 'dynamic' });
const forcing: Declare = (app, config) => stack(app).share(config({ h: 'ours', z: '1' }) as Declaration);
const forcingDynamic: Declare = (app, config) => stack(app).share(config({ h: 'ours', z: '1' }) as Declaration, { strategy: 'dynamic' });

const variants: readonly { readonly what: string; readonly before?: Declare; readonly now: Declare }[] = [
  { what: 'a share', now: forcing },
  { what: 'an own', now: (app, config) => stack(app).own(config({ h: 'ours', z: '1' }) as Declaration) },
  { what: 'a share that drops a field', before: former, now: forcing },
  {
    what: 'a rename',
    before: former,
    now: (app, config) => stack(app, 'r2', { renamedFrom: 'r' }).share(config({ h: 'ours', z: '1' }) as Declaration),
  },
  {
    what: 'a transfer of a field',
    before: (app, config) => stack(app).share(config({ t: '1' }) as Declaration),
    now: (app, config) =>
      stack(app, 'q').share(config({ t: '1', h: 'ours' }) as Declaration, { transferFrom: { from: stack(app), fields: ['data.t'] } }),
  },
  { what: 'a share that is merged client-side', before: formerDynamic, now: forcingDynamic },
  { what: 'a move to the server', before: formerDynamic, now: forcing },
  { what: 'a move from the server', before: former, now: forcingDynamic },
];

describe.each(variants)('$what', ({ before, now }) => {
  test.each(['is interrupted', 'is forbidden', 'is invalid'] as const)('reports what it forced if one request %s', async (fault) => {
    const results = new Set<string>();
    for (let at = 1, isReached = true; isReached; at++) {
      const name = `x${count++}`;
      const config = (data: Record<string, string>) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
      await cluster.apply({ ...config({ h: 'theirs', w: 'theirs' }), metadata: { name, namespace: 'default' } } as Declaration, {
        manager: 'human',
      });
      if (before) await deploy(synth(name, before, config), cluster, { confirm: async () => true, wait: false });
      const { report, sent } = await deployWithFault(synth(name, now, config), name, fault, at);
      isReached = sent >= at;

      const { data, metadata } = await read(name);
      expect(data.w).toBe('theirs');
      const theirs = metadata.managedFields.find(({ manager }) => manager === 'human');
      const isTaken = data.h !== 'theirs' || theirs?.fieldsV1['f:data']?.['f:h'] === undefined;
      const objects = report.objects.filter((object) => object.name === name);
      const isReported = objects.some(({ forcedConflicts }) => forcedConflicts.some(({ field }) => field === '.data.h'));
      expect(isReported, `at request ${at}: ${JSON.stringify(objects)}`).toBe(isTaken);
      for (const { result } of objects) results.add(`${result}${isTaken ? ', taken' : ''}`);
    }
    expect([...results]).toEqual(expect.arrayContaining([fault === 'is interrupted' ? 'skipped' : 'failed']));
  });
});

test.each(['is interrupted', 'is forbidden'] as const)('reports the object that it replaces if one request %s', async (fault) => {
  let replacedAndFailed = 0;
  for (let at = 1, isReached = true; isReached; at++) {
    const name = `x${count++}`;
    const config = (data: Record<string, string>) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
    const declare =
      (a: string): Declare =>
      (app, object) =>
        stack(app).own({ ...object({ a }), immutable: true } as object as Declaration, { replace: true });
    await deploy(synth(name, declare('1'), config), cluster, { wait: false });
    const { uid } = (await read(name)).metadata;
    await cluster.apply(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', labels: { team: 'theirs' } } } as Declaration,
      {
        manager: 'human',
      },
    );
    const { report, sent } = await deployWithFault(synth(name, declare('2'), config), name, fault, at);
    isReached = sent >= at;

    const isDeleted = (await read(name)).metadata.uid !== uid;
    const [object] = report.objects.filter((one) => one.name === name);
    expect(object?.replaced !== undefined, `at request ${at}: ${JSON.stringify(object)}`).toBe(isDeleted);
    if (!isDeleted) continue;
    expect(object?.replaced).toMatchObject({ metadata: { labels: { team: 'theirs' } }, data: { a: '1' } });
    if (object?.result === 'failed') replacedAndFailed += 1;
  }
  expect(replacedAndFailed).toBeGreaterThan(0);
});

/** Synthesizes a program, under an app name of its own. */
function synth(name: string, declare: Declare, config: (data: Record<string, string>) => object): string {
  const app = new App({ name, outdir: join(directory, String(count++)) });
  declare(app, config);
  app.synth();
  return app.outdir;
}

interface Read {
  readonly data: Readonly<Record<string, string>>;
  readonly metadata: {
    readonly uid?: string;
    readonly managedFields: readonly { manager: string; fieldsV1: Record<string, Record<string, object> | undefined> }[];
  };
}

async function read(name: string): Promise<Read> {
  const { body } = await server.handle({
    method: 'GET',
    path: `/api/v1/namespaces/default/configmaps/${name}`,
    query: new URLSearchParams(),
    headers: { accept: 'application/json' },
  });
  return body as unknown as Read;
}

/** Deploys while one request for the ConfigMap fails, or is the last before an interrupt. */
async function deployWithFault(assembly: string, name: string, fault: 'is interrupted' | 'is forbidden' | 'is invalid', at: number) {
  const interrupt = new AbortController();
  const status = {
    'is forbidden': { code: 403, reason: 'Forbidden' },
    'is invalid': { code: 422, reason: 'Invalid' },
    'is interrupted': undefined,
  }[fault];
  let sent = 0;
  const faultyServer: Pick<EmbeddedApiServer, 'handle'> = {
    handle: async (request) => {
      if (!request.path.endsWith(`/configmaps/${name}`)) return server.handle(request);
      sent += 1;
      if (sent === at && status) {
        const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'injected', ...status };
        return { code: status.code, warnings: [], body };
      }
      const response = await server.handle(request);
      if (sent === at) interrupt.abort();
      return response;
    },
  };
  const faulty = inProcessCluster(faultyServer as EmbeddedApiServer);
  const report: RunReport = await deploy(assembly, faulty, { confirm: async () => true, wait: false, signal: interrupt.signal });
  return { report, sent };
}
