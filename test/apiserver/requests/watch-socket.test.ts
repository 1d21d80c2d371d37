import { afterAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { readKubeconfig } from '../../harness/kubeconfig.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Watches over WebSockets, as browsers have them. */
const testEnvironment = await TestEnvironment.create('watch-socket');
const { cluster, namespace, kubeconfig } = testEnvironment;
const { server, token = '', ca } = readKubeconfig(kubeconfig);
const maps = `/api/v1/namespaces/${namespace}/configmaps`;
const watch = `${maps}?watch=1&timeoutSeconds=1`;
const origin = 'https://console.example.com';
const authorization = `Bearer ${token}`;
const opened: WebSocket[] = [];
afterAll(() => {
  for (const socket of opened) socket.terminate();
});

await cluster.create('test', { ...testEnvironment.ref('v1', 'ConfigMap', 'a'), data: { x: '1' } } as never);

interface Seen {
  readonly protocol?: string;
  readonly messages?: readonly string[];
  readonly closed?: number;
  readonly refused?: number;
}

/** Opens a socket, and returns what the server sends until it ends; `during` is called when it is open. */
function open(
  path: string,
  headers: Readonly<Record<string, string>>,
  protocols: readonly string[] = [],
  during?: (socket: WebSocket) => void,
): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(server.replace(/^http/, 'ws') + path, [...protocols], { headers: { ...headers }, ca });
    opened.push(socket);
    const messages: string[] = [];
    socket.on('open', () => during?.(socket));
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      const event = isBinary ? undefined : JSON.parse(data.toString('utf8'));
      messages.push(event === undefined ? data.subarray(0, 7).toString('latin1') : `${event.type} ${event.object.metadata.name}`);
    });
    socket.on('close', (closed) => resolve({ protocol: socket.protocol, messages, closed }));
    socket.on('unexpected-response', (_, response) => resolve({ refused: response.statusCode ?? 0 }));
    socket.on('error', reject);
  });
}

test('a watch sends each event as a message, and closes the socket at its end', async () => {
  const change = () => void cluster.patch('test', testEnvironment.ref('v1', 'ConfigMap', 'a'), { data: { x: '2' } });
  const seen = await open(watch, { authorization, origin }, [], (socket) => {
    // What a client sends is not read.
    socket.send('hello');
    change();
  });
  expect(seen).toEqual({ protocol: '', messages: ['ADDED a', 'MODIFIED a'], closed: 1000 });
});

test('events are binary messages for a client that accepts protobuf', async () => {
  const seen = await open(watch, { authorization, origin, accept: 'application/vnd.kubernetes.protobuf' });
  expect(seen).toEqual({ protocol: '', messages: ['\n\x05ADDED'], closed: 1000 });
});

test('the token of a browser is a subprotocol beside another one', async () => {
  const asProtocol = `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
  const seen = await open(watch, { origin }, [asProtocol, 'binary.k8s.io']);
  expect(seen).toEqual({ protocol: 'binary.k8s.io', messages: ['ADDED a'], closed: 1000 });
  expect(await open(watch, { origin }, [asProtocol])).toEqual({ refused: 401 });
});

test.each([
  ['a watch without an Origin', watch, { authorization }, [], 403],
  ['several subprotocols', watch, { authorization, origin }, ['one', 'two'], 400],
  ['a wrong parameter', `${watch}x`, { authorization, origin }, [], 400],
  ['a path that is not served', '/api/v1/nothing?watch=1', { authorization, origin }, [], 404],
  ['a list', maps, { authorization, origin }, [], 200],
] as const)('%s is answered in HTTP', async (_, path, headers, protocols, refused) => {
  expect(await open(path, headers, protocols)).toEqual({ refused });
});
