import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { parse } from 'yaml';
import { selfSignedCertificate } from '../../src/apiserver/http/certificate.js';
import type { ResponseBody } from '../harness/api-client.js';
import { cacheDirectory, type Environment, findOrBuild, isExecutable, operator } from '../harness/binaries.js';
import { type ObjectRef, ref, type TestCluster } from '../harness/cluster.js';
import { freePort } from '../harness/envtest.js';
import { writeKubeconfig } from '../harness/kubeconfig.js';
import { poll } from '../harness/poll.js';
import { type Daemon, startDaemon } from '../harness/process.js';

/** The Service and the Endpoints of kubelets that the operator keeps: those of a situation. */
const kubelets = 'control-plane-kubelets/kubelet';
/** The namespace of the situation in which the operator is asked for admission. */
const admissionNamespace = 'control-plane-admission';

/**
 * Ends a program that knows nothing of our standard input with the process that started it, as the others end by themselves. Its arguments are a
 * kubeconfig, the program and the arguments of that.
 */
const guard = `export KUBECONFIG="$1"; shift; exec 3<&0
"$@" 3<&- & child=$!
{ cat <&3 >/dev/null; kill $child; } 2>/dev/null &
trap 'kill $child' TERM; wait $child; wait $child`;

/**
 * Returns the directory with the operator, which is built once.
 *
 * @returns undefined where it is not in the cache, and `mayBuild` is false or there is no Go.
 */
export async function findOperator(environment: Environment, mayBuild: boolean): Promise<string | undefined> {
  const directory = cacheDirectory(environment, operator);
  if (isExecutable(join(directory, operator.binaries[0]))) return directory;
  if (!mayBuild) return undefined;
  return findOrBuild(operator, environment, (line) => process.stderr.write(`operator: ${line}\n`));
}

/** The certificate and the port of the operator's webhooks, which a server asks. */
interface Webhooks {
  readonly cert: string;
  readonly key: string;
  readonly port: number;
}

/**
 * Creates the definitions of the operator and its ServiceAccount with the permissions of its documentation, starts it as that, and lets the server ask
 * it for conversions, and for admission in one namespace.
 */
export async function startOperator(cluster: TestCluster, operatorDirectory: string, directory: string): Promise<Daemon> {
  const webhooks: Webhooks = { ...selfSignedCertificate(new Date()), port: await freePort() };
  await install(cluster, operatorDirectory, webhooks);
  const daemon = startDaemon(
    '/bin/sh',
    ['-c', guard, 'sh', ...(await commandOf(cluster, operatorDirectory, directory, webhooks))],
    join(directory, 'operator.log'),
  );
  try {
    await daemon.untilReady(() => isListening(webhooks), 60);
  } catch (error) {
    await daemon.stop();
    throw error;
  }
  return daemon;
}

async function install(cluster: TestCluster, operatorDirectory: string, webhooks: Webhooks): Promise<void> {
  const definitions = manifestsIn(join(operatorDirectory, 'example/prometheus-operator-crd-full'));
  const conversion = {
    strategy: 'Webhook',
    webhook: { clientConfig: clientConfig(webhooks, '/convert'), conversionReviewVersions: ['v1beta1', 'v1alpha1'] },
  };
  for (const definition of definitions) {
    const { spec } = definition;
    await cluster.create('test', spec.versions.length === 1 ? definition : { ...definition, spec: { ...spec, conversion } });
    for (const { name } of spec.versions)
      await poll(`${spec.names.kind} is served`, () => cluster.serves(`${spec.group}/${name}`, spec.names.kind));
  }
  const rights = manifestsIn(join(operatorDirectory, 'example/rbac/prometheus-operator'));
  for (const object of rights)
    if (/^(ServiceAccount|ClusterRole|ClusterRoleBinding)$/.test(object.kind)) await cluster.create('test', object);
  for (const configuration of admission(webhooks)) await cluster.create('test', configuration);
}

function clientConfig({ cert, port }: Webhooks, path: string) {
  return { url: `https://127.0.0.1:${port}${path}`, caBundle: Buffer.from(cert).toString('base64') };
}

/** The configurations of webhooks in the documentation of the operator, for one namespace. */
function admission(webhooks: Webhooks): readonly ObjectRef[] {
  const webhook = (resource: string, apiVersion: string, path: string) => ({
    name: `${path.replace(/\W/g, '')}.monitoring.coreos.com`,
    clientConfig: clientConfig(webhooks, `/admission-${path}`),
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': admissionNamespace } },
    rules: [{ apiGroups: ['monitoring.coreos.com'], apiVersions: [apiVersion], operations: ['CREATE', 'UPDATE'], resources: [resource] }],
    admissionReviewVersions: ['v1', 'v1beta1'],
    sideEffects: 'None',
  });
  const configuration = (kind: string, hooks: readonly object[]) => ({
    ...ref('admissionregistration.k8s.io/v1', kind, 'prometheus-operator'),
    webhooks: hooks,
  });
  return [
    configuration('MutatingWebhookConfiguration', [webhook('prometheusrules', '*', 'prometheusrules/mutate')]),
    configuration('ValidatingWebhookConfiguration', [
      webhook('prometheusrules', '*', 'prometheusrules/validate'),
      webhook('alertmanagerconfigs', 'v1alpha1', 'alertmanagerconfigs/validate'),
    ]),
  ];
}

/** Returns the kubeconfig of the operator's ServiceAccount, its program and its flags: those of the documentation, and shorter periods. */
async function commandOf(
  cluster: TestCluster,
  operatorDirectory: string,
  directory: string,
  webhooks: Webhooks,
): Promise<readonly string[]> {
  const account = await cluster.path(ref('v1', 'ServiceAccount', 'prometheus-operator', 'default'));
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } };
  const { status } = await cluster.client.call('POST', `${account}/token`, { body });
  const kubeconfig = join(directory, 'operator.kubeconfig');
  const { server, ca } = cluster.client.connection;
  writeKubeconfig(kubeconfig, { server, ca, token: status.token });
  const [cert, key] = [join(directory, 'operator.crt'), join(directory, 'operator.key')];
  writeFileSync(cert, webhooks.cert);
  writeFileSync(key, webhooks.key, { mode: 0o600 });
  const flags = {
    'kubelet-service': kubelets,
    'kubelet-sync-period': '2s',
    'prometheus-config-reloader': 'example.com/reloader:v1',
    'feature-gates': 'StatusForConfigurationResources=true',
    'web.listen-address': `127.0.0.1:${webhooks.port}`,
    'web.enable-tls': 'true',
    'web.cert-file': cert,
    'web.key-file': key,
  };
  return [kubeconfig, join(operatorDirectory, operator.binaries[0]), ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)];
}

function isListening({ port, cert }: Webhooks): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = get({ host: '127.0.0.1', port, path: '/healthz', ca: cert, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    answer.on('error', () => resolve(false));
  });
}

function manifestsIn(directory: string): readonly ResponseBody[] {
  return readdirSync(directory)
    .sort()
    .map((name) => parse(readFileSync(join(directory, name), 'utf8')));
}
