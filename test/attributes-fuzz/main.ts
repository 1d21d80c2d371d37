import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedApiServer } from '../../src/apiserver/index.js';
import { Random } from '../corpus/random.js';
import { type Connection, readKubeconfig, writeKubeconfig } from '../harness/kubeconfig.js';
import { RawConnection, requestText } from '../harness/raw-http.js';
import { readCount, readFlags } from '../harness/script-flags.js';
import { startServer } from '../harness/server.js';

const usage = `Usage: npm run campaign -- fuzz:attributes [--requests 5000] [--seed 1]
Sends random requests of a user without rights to a real API server and to the embedded one: both must refuse each for the same attributes.`;
const { values } = readFlags(usage, {
  options: { requests: { type: 'string', default: '5000' }, seed: { type: 'string', default: '1' } },
});
const requests = readCount(usage, 'requests', values.requests);
const seed = readCount(usage, 'seed', values.seed);

const methods = ['GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const roots = [
  '/api/v1',
  '/api/v1',
  '/apis/apps/v1',
  '/apis/fuzz.example.com/v1',
  '/api',
  '/apis',
  '/foo',
  '//api/v1',
  '/api//v1',
  '/apis//v1',
  '/api%2fv1',
];
const segments = [
  'namespaces',
  'n',
  'configmaps',
  'x',
  'deployments',
  'scale',
  'status',
  'finalize',
  'watch',
  'proxy',
  'pods',
  'log',
  'nodes',
  'token',
].concat([
  '',
  '',
  '.',
  '..',
  '%2e',
  'a%2Fb',
  '%3Cb%26',
  'a%22b',
  '%C3%A4',
  'a;b',
  'a=b',
  '%00',
  '%0a',
  'x:80',
  '*',
  '~',
  "a'b",
  'a+b',
  'a%20b',
  '%25',
]);
const selectors = [
  'metadata.name=x',
  'metadata.name==x',
  'metadata.name!=x',
  'metadata.name=',
  'metadata.name=x,a=b',
  'a=b,metadata.name=x',
  'bad',
  '=',
].concat(
  [
    'metadata.name=x\\,y',
    'metadata.name=x=y',
    'metadata.name=..',
    'metadata.name=a/b',
    'metadata.name=a%',
    ',metadata.name=x,',
    'metadata.name=x,bad',
  ],
  [
    'metadata.name=x\\',
    ' metadata.name=x',
    'metadata.namespace=n',
    'metadata.name=y,metadata.name=x',
    'metadata.name= x',
    'metadata.name=x\\\\y',
  ],
);
const parameters: readonly (readonly [string, readonly string[]])[] = [
  ['fieldSelector', selectors],
  ['fieldSelector', selectors],
  ['watch', ['true', '1', 'yes', '', '0', 'false', 'False', 'TRUE', 'no']],
  ['limit', ['', '5', '-5', '+5', 'a', '1.5', '99999999999999999999', '9223372036854775807']],
  ['timeoutSeconds', ['5', 'a', '']],
  ['labelSelector', ['a=b', '==', 'a in (b', '!a', 'a=b=c', 'a in ()', '-a', 'a=-b', 'a>b', 'a,', 'a b']],
  ['resourceVersion', ['0', 'a']],
  ['dryRun', ['All', 'x']],
];

function randomRequest(random: Random): { readonly method: string; readonly target: string } {
  const path = Array.from({ length: random.below(7) }, () => `/${random.pick(segments)}`).join('');
  const query = Array.from({ length: random.below(4) }, () => {
    const [name, list] = random.pick(parameters);
    const text = encodeURIComponent(random.pick(list));
    return `${name}=${random.chance(0.05) ? `${text};` : text}${random.chance(0.05) ? '%zz' : ''}`;
  });
  return { method: random.pick(methods), target: `${random.pick(roots)}${path}${query.length > 0 ? `?${query.join('&')}` : ''}` };
}

/** A connection that is opened again after it has ended. */
class Client {
  readonly #server: Connection;
  #open: RawConnection | undefined;

  constructor(server: Connection) {
    this.#server = server;
  }

  /** Returns the code, and for a refusal its message. */
  async answer(method: string, target: string): Promise<string> {
    if (this.#open === undefined || this.#open.closed) this.#open = await RawConnection.open(this.#server);
    this.#open.write(
      requestText(method, target, { authorization: `Bearer ${this.#server.token}`, 'impersonate-user': 'jane', 'content-length': '0' }),
    );
    const response = await this.#open.response(method, 10);
    if (response?.status !== 403) {
      this.#open.close();
      this.#open = undefined;
    }
    // Whoever may read discovery gets it in any case: only refusals are compared.
    if (response?.status !== 403) return response?.status === 400 || response?.status === 500 ? String(response.status) : 'allowed';
    const { message, details } = JSON.parse(response.body);
    return JSON.stringify({ message, details });
  }

  close(): void {
    this.#open?.close();
  }
}

const directory = mkdtempSync(join(tmpdir(), 'fieldwise-attributes-'));
const server = await startServer();
const embedded = await EmbeddedApiServer.start();
let failed = 0;
try {
  const kubeconfig = join(directory, 'kubeconfig');
  writeKubeconfig(kubeconfig, { server: embedded.url, ca: embedded.ca, token: embedded.token });
  const [real, own] = [new Client(readKubeconfig(server.kubeconfig)), new Client(readKubeconfig(kubeconfig))];
  for (let number = 0; number < requests; number++) {
    const { method, target } = randomRequest(new Random(seed * 1_000_003 + number));
    const [expected, found] = await Promise.all([real.answer(method, target), own.answer(method, target)]);
    if (expected === found) continue;
    failed += 1;
    if (failed <= 20) console.log(`FAILED case ${number}: ${method} ${target}\n  real     ${expected}\n  embedded ${found}`);
  }
  real.close();
  own.close();
} finally {
  await embedded.stop();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
console.log(`seed ${seed}`);
console.log(`${requests - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
