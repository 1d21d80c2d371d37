import type { ServerResponse } from 'node:http';
import { podDisruptionBudget, podDisruptionBudgetStatus } from 'fieldwise/k8s/policy/v1';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ApplyConfiguration } from '../../src/builders/index.js';
import {
  type ApplyInput,
  type BuilderFactory,
  Controller,
  conditionReasonOf,
  extract,
  ownedConditions,
  reconcileWithConditions,
  statusOf,
} from '../../src/controller/index.js';
import { publicCluster } from '../../src/kubernetes/cluster.js';
import { ApiError, connect, createClusterClient, Transport } from '../../src/kubernetes/index.js';
import { FieldwiseError } from '../../src/util/error.js';
import type { ResponseBody } from '../harness/api-client.js';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { type MalformedResponse, malformedResponses, mismatchedBodies, transientResponses } from '../harness/malformed-responses.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('controller-lies');
const { namespace } = testEnvironment;
const ref = testEnvironment.ref('policy/v1', 'PodDisruptionBudget', 'web');
const manager = 'operator';
const finalizer = 'example.com/held';
const condition = { type: 'Backup', status: 'True', reason: 'Ran', message: '', lastTransitionTime: '2026-01-31T12:00:00Z' } as const;
const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
// Of the package, whose types have a brand of their own; the sources take them by a registered symbol.
const budget = podDisruptionBudget as unknown as BuilderFactory<ApplyConfiguration<string, object>>;
const budgetStatus = podDisruptionBudgetStatus as unknown as BuilderFactory<ApplyConfiguration<string, object>>;
const intent = () => podDisruptionBudget('web', namespace).withSpec(spec) as unknown as ApplyInput;
const status = () => podDisruptionBudgetStatus('web', namespace).withStatus({ conditions: [condition] }) as unknown as ApplyInput;

/** The work of a controller in a reconcile; each gets the object as it was read from a true server. */
const work: Readonly<Record<string, (controller: Controller, live: ResponseBody) => Promise<unknown>>> = {
  apply: (controller) => controller.apply(intent()),
  'apply to a uid': (controller, live) => controller.apply(intent(), { uid: live.metadata.uid }),
  applyStatus: (controller) => controller.applyStatus(status()),
  'applyStatus to a uid': (controller, live) => controller.applyStatus(status(), { uid: live.metadata.uid }),
  withConditions: (controller, live) =>
    reconcileWithConditions(controller, budgetStatus, async () => ({ state: 'ready' as const, reason: 'Done' }))(live),
  'withConditions after a failure': (controller, live) =>
    reconcileWithConditions(controller, budgetStatus, () =>
      controller.apply(intent()).then(() => ({ state: 'ready' as const, reason: 'Done' })),
    )(live),
  addFinalizer: (controller, live) => controller.addFinalizer(live, finalizer),
  removeFinalizer: (controller, live) => controller.removeFinalizer(withFinalizer(live), finalizer),
};

const withFinalizer = (live: ResponseBody) => ({ ...live, metadata: { ...live.metadata, finalizers: [finalizer] } });

beforeAll(() => testEnvironment.cluster.apply(manager, { ...ref, spec }));

const defaultTimeoutMs = 500;
/** A busy machine needs more than half a second for 16 MiB. */
const largeBodyTimeoutMs = 30_000;

/** Does the work against a server that lies as configured, and returns the outcome: mostly an error. */
async function against(
  name: string,
  lie: (request: ProxiedRequest, nth: number) => MalformedResponse | undefined,
  timeoutMs = defaultTimeoutMs,
) {
  const proxy = await testEnvironment.proxy();
  let requests = 0;
  proxy.onRequest = (request) => lie(request, ++requests);
  return { outcome: await working(name, proxy.kubeconfig, timeoutMs), requests: proxy.requests.length };
}

async function working(name: string, kubeconfig: string, timeoutMs = defaultTimeoutMs): Promise<unknown> {
  const transport = new Transport(await connect({ kubeconfig }), { timeoutMs, retryTimeoutMs: 1_000 });
  try {
    const controller = new Controller(publicCluster(createClusterClient(transport, namespace)), { manager });
    return await (work[name] as (typeof work)[string])(controller, await testEnvironment.cluster.get(ref));
  } catch (error) {
    return error;
  } finally {
    transport.close();
  }
}

/** An error that a person can act on, in itself and as a condition tells it; never a fault of the program. */
function expectSaid(error: unknown, says: RegExp, where: string): void {
  expect
    .soft(error instanceof FieldwiseError || error instanceof ApiError, `${where}: ${String((error as Error)?.stack ?? error)}`)
    .toBe(true);
  expect.soft((error as Error).message, where).toMatch(says);
  expect.soft((error as Error).message, where).not.toMatch(/defect|Cannot read|undefined|\[object/);
  expect.soft(conditionReasonOf(error).reason, where).not.toBe('ReconcileFailed');
}

const slow: Readonly<Record<string, MalformedResponse>> = {
  'no answer at all': { message: /no response|timed out|did not answer|within/, respond: () => undefined },
  'a body that never ends': {
    message: /no response|timed out|within|took|longer/,
    respond: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"kind":"PodDisruptionBudget"'),
  },
  'a body larger than any object': { message: /16 MiB/, respond: huge },
};

function huge(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(`{"kind":"PodDisruptionBudget","rest":"${'x'.repeat(17 * 2 ** 20)}"}`);
}

describe.each(Object.keys(work))('%s', (name) => {
  test.each(Object.entries({ ...malformedResponses, ...transientResponses, ...slow }))(
    'of a server that answers everything with %s',
    async (_, lie) => {
      const isHuge = lie.respond === huge;
      const timeoutMs = isHuge ? largeBodyTimeoutMs : defaultTimeoutMs;
      const { outcome } = await against(name, ({ path }) => (!isHuge || path.includes('/web') ? lie : undefined), timeoutMs);
      expectSaid(outcome, lie.message, name);
    },
  );

  test('of a server that answers one request with JSON that fits no question', async () => {
    const { requests, outcome } = await against(name, () => undefined);
    expect(outcome, String((outcome as Error)?.stack)).not.toBeInstanceOf(Error);
    for (let nth = 1; nth <= requests; nth++) {
      for (const [what, body] of Object.entries(mismatchedBodies)) {
        const lie: MalformedResponse = {
          message: /./,
          respond: (response) => void response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
        };
        const lied = await against(name, (_, at) => (at === nth ? lie : undefined));
        const where = `request ${nth} of ${requests} answered with ${what}`;
        // The answer to the write of a finalizer is of no use to anybody.
        if (name === 'addFinalizer' && nth === requests) expect.soft(lied.outcome, where).not.toBeInstanceOf(Error);
        else expectSaid(lied.outcome, /./, where);
      }
    }
  });
});

const sound = {
  manager,
  operation: 'Apply',
  apiVersion: 'policy/v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:minAvailable': {} } },
};
const rubbish: Readonly<Record<string, unknown>> = {
  'no list': 'x',
  'a null among them': [null],
  'a number among them': [7],
  'an empty one': [{}],
  'no apiVersion': [{ ...sound, apiVersion: undefined }],
  'no fieldsV1': [{ ...sound, fieldsV1: undefined }],
  'fieldsV1 that is a text': [{ ...sound, fieldsV1: 'f:spec' }],
  'fieldsV1 of rubbish': [{ ...sound, fieldsV1: { 'k:{': {}, 'f:spec': 7, spec: [], 'v:': null } }],
  'fields that are not there': [
    { ...sound, fieldsV1: { 'f:spec': { 'f:none': { 'k:{"a":1}': { 'f:b': {} } }, 'f:minAvailable': { 'i:0': {} } } } },
  ],
  'a status of rubbish': [
    { ...sound, subresource: 'status', fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":7}': {}, 'k:x': {} } } } },
  ],
};

/** The outcomes of work on an object whose fields cannot be told apart by owner. */
const goodEnds: Readonly<Record<string, string>> = {
  apply: 'applied',
  'apply to a uid': 'applied',
  applyStatus: 'applied',
  'applyStatus to a uid': 'unchanged',
  withConditions: 'updated',
  'withConditions after a failure': 'unchanged',
  addFinalizer: 'updated',
  removeFinalizer: 'updated',
};

describe.each(Object.entries(rubbish))('managedFields with %s', (what, entries) => {
  const spoiled = (object: ResponseBody) => ({ ...object, metadata: { ...object.metadata, managedFields: entries } });

  const readable = Array.isArray(entries);

  test.each(Object.keys(work))(`%s ${readable ? 'ends well' : 'says what answered'}`, async (name) => {
    const proxy = await testEnvironment.proxy();
    proxy.onResponse = (_request, { body }) => (body?.kind === 'PodDisruptionBudget' ? { body: spoiled(body) } : undefined);
    const outcome = await working(name, proxy.kubeconfig);
    if (readable) expect(outcome).toMatchObject({ outcome: goodEnds[name] });
    else expectSaid(outcome, /managedFields/, name);
  });

  test('extract, statusOf and ownedConditions take nothing for declared that is not there', async () => {
    const object = { ...spoiled(await testEnvironment.cluster.get(ref)), status: { conditions: [condition] } };
    const bare = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: expect.objectContaining({ name: 'web' }) };
    const read = (options: object = {}) => extract(budget, object, { manager, ...options }).build();
    expect(read({ subresource: 'status' })).toEqual(bare);
    if (what === 'no apiVersion') {
      const says = /A builder of policy\/v1 PodDisruptionBudget cannot contain these fields/;
      expectSaid(
        await Promise.resolve()
          .then(() => read())
          .catch((error: unknown) => error),
        says,
        'extract',
      );
    } else expect(read()).toEqual(what === 'fieldsV1 of rubbish' ? { ...bare, spec: {} } : bare);
    expect(statusOf(budgetStatus, object).build()).toMatchObject({ status: { conditions: [condition] } });
    expect(ownedConditions(budgetStatus, object, { manager })).toEqual([]);
  });
});
