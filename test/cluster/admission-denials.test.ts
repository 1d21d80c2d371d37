import { expect, test } from 'vitest';
import { bindingOf, policyOf } from '../harness/bound-policy.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { poll } from '../harness/poll.js';
import { own, share } from '../harness/program-text.js';
import { startReviewServer } from '../harness/review-server.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** Denials by policies and webhooks of the cluster: every command says who denies, and sends nobody to the rights of the user. */
const testEnvironment = await TestEnvironment.create('denials');
const { cluster, namespace } = testEnvironment;
const { ref, live } = configMapHelpers(testEnvironment);

const reasons = ['Invalid', 'Forbidden', 'RequestEntityTooLarge'] as const;
const policyName = (reason: string) => `${namespace}-${reason.toLowerCase()}`;
const config = (name: string, reason: string, data: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { case: reason } },
  data,
});

// A message that looks like that of another refusal.
const message = 'x is forbidden: User "x" cannot patch, and color may not be changed';

/** Whoever denies decides some time after it is declared, and also some time after it is removed. */
async function inEffect(name: string, reason: string): Promise<void> {
  await cluster.create('probe', { ...ref(name), metadata: { ...ref(name).metadata, labels: { case: reason } } });
  testEnvironment.onCleanup(() =>
    poll(`${name} may be removed`, () =>
      cluster.remove(ref(name)).then(
        () => true,
        () => false,
      ),
    ),
  );
}

async function isDenied(name: string): Promise<boolean> {
  const data = { at: String(process.hrtime.bigint()) };
  return cluster.patch('probe', ref(name), { data }).then(
    () => false,
    () => true,
  );
}

for (const reason of reasons) await inEffect(`probe-${reason.toLowerCase()}`, reason);
for (const reason of reasons) {
  const name = policyName(reason);
  // Whoever may create an object may neither change nor delete it.
  const policy = policyOf(name, reason, { validations: [{ expression: 'oldObject == null', message, reason }] });
  for (const object of [policy, bindingOf(`${name}-bound`, name, namespace, { validationActions: ['Deny'] })]) {
    testEnvironment.removeLater(object as never);
    await cluster.create('test', object as never);
  }
}
for (const reason of reasons) await poll(`${reason} is denied`, () => isDenied(`probe-${reason.toLowerCase()}`));

const denialOf = (reason: string, name: string) =>
  `The admission policy ${policyName(reason)} (binding ${policyName(reason)}-bound) denies the request for configmaps "${name}": ${message}`;
const advice = /run with credentials that the policy lets pass, or have the policy changed by those who keep it .*\[admission-denied\]/;

test.each(reasons)('a denial with the reason %s: diff, deploy and destroy', async (reason) => {
  const name = `denied-${reason.toLowerCase()}`;
  const project = testEnvironment.program({ main: [own(config(name, reason, { color: 'red' }))] });
  await deployed(project);
  project.write({ 'main.ts': testEnvironment.text({ main: [own(config(name, reason, { color: 'blue' }), { replace: true })] }) });
  for (const command of [['diff'], ['deploy', '--yes'], ['destroy', '--yes']]) {
    const { exitCode, stdout, stderr } = await project.run(command);
    const text = `${stdout}${stderr}`;
    expect([command[0], exitCode, text]).toEqual([command[0], 4, expect.stringContaining(denialOf(reason, name))]);
    expect(text).toMatch(advice);
    expect(text).not.toMatch(/Grant|credentials \(401|\[(forbidden|invalid|field-immutable|authentication-failed)\]/);
  }
  // A policy that says that a field may not be changed is not evaded by a replacement.
  expect((await live(name)).data).toEqual({ color: 'red' });
});

test('an adoption from a stack that a policy denies', async () => {
  const declared = config('denied-handed', 'Invalid', { color: 'red' });
  const project = testEnvironment.program({ a: [own(declared)] });
  await deployed(project);
  project.write({
    'main.ts': testEnvironment.text({ a: [own(declared)], b: [share({ ...declared, metadata: { name: 'denied-handed' } })] }),
  });
  await project.run(['synth']);
  const { exitCode, stdout, stderr } = await project.run(['adopt', 'b', '--from', 'stack:a', '--yes', 'ConfigMap/denied-handed', '.data']);
  expect([exitCode, `${stdout}${stderr}`]).toEqual([4, expect.stringContaining(denialOf('Invalid', 'denied-handed'))]);
});

test.each(['leases', 'configmaps'])(
  'a policy that denies %s of Fieldwise itself: nothing is done, and no right is asked for',
  async (resource) => {
    const text = `${resource} "x" is forbidden: ValidatingAdmissionPolicy 'frozen' with binding 'frozen' denied request: not on Fridays`;
    const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403, message: text };
    const proxy = await testEnvironment.proxy();
    proxy.onRequest = ({ method, path }) => (method === 'PATCH' && path.includes(`/${resource}`) ? { status: 403, body } : undefined);
    const report = await testEnvironment.program({ main: [own(ref(`frozen-${resource}`))] }).deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.summary.errors).toMatchObject([
      { code: 'admission-denied', message: `The admission policy frozen denies the request for ${resource} "x": not on Fridays` },
    ]);
    if (resource === 'configmaps')
      expect(report.summary.errors).toMatchObject([
        { next: expect.stringContaining('Have the policy frozen pass the ConfigMaps of namespace') },
      ]);
    expect(await cluster.find(ref(`frozen-${resource}`))).toBeUndefined();
  },
);

test.each([
  ['400, without a code', {}, 'denies the request, without explanation'],
  ['401', { code: 401, message: 'not now' }, 'denies the request: not now'],
  ['403', { code: 403, message: 'not here' }, 'denies the request: not here'],
  ['422', { code: 422, reason: 'Invalid', message: 'not so' }, 'denies the request: not so'],
])('a webhook that denies with status %s', async (what, status, expected) => {
  const name = `hooked-${what.slice(0, 3)}`;
  const webhookName = `w${what.slice(0, 3)}.example.com`;
  const server = await startReviewServer(({ request: { uid } }) => ({ uid, allowed: false, status }));
  testEnvironment.onCleanup(() => server.stop());
  await inEffect(`probe-${name}`, name);
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: `${namespace}-${name}` },
  };
  testEnvironment.removeLater(configuration);
  const webhook = {
    name: webhookName,
    clientConfig: server.clientConfig,
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    objectSelector: { matchLabels: { case: name } },
    rules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], scope: 'Namespaced' }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  await cluster.create('test', { ...configuration, webhooks: [webhook] } as never);
  await poll(`${name} is denied`, () => isDenied(`probe-${name}`));
  const project = testEnvironment.program({ main: [own(config(name, name, { color: 'red' }))] });
  for (const command of ['diff', 'deploy']) {
    const { exitCode, stdout, stderr } = await project.run([command]);
    const text = `${stdout}${stderr}`;
    expect([command, exitCode, text]).toEqual([command, 4, expect.stringContaining(`The admission webhook ${webhookName} ${expected}`)]);
    expect(text).toMatch(/have the webhook changed by those who keep it.*\[admission-denied\]/);
  }
});
