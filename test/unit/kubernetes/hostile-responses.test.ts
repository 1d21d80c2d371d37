import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type Connection, createClusterClient, type Resource, Transport } from '../../../src/kubernetes/index.js';

const open: Server[] = [];
const transports: Transport[] = [];
afterEach(() => {
  for (const transport of transports.splice(0)) transport.close();
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const configMaps: Resource = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, uid: name } });
const json = (response: ServerResponse, body: unknown) =>
  void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));

/** A transport to a server that answers as told. */
async function transportTo(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  timeout = 60_000,
  headers: Awaited<ReturnType<Connection['headers']>> = {},
): Promise<Transport> {
  const server = createServer((request, response) => void request.resume().on('end', () => answer(request, response)));
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connection: Connection = {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tls: {},
    headers: async () => headers,
    namespace: undefined,
    context: 'test',
  };
  const transport = new Transport(connection, { timeoutMs: timeout });
  transports.push(transport);
  return transport;
}

/** Writes the same for as long as somebody reads. */
function endless(response: ServerResponse, text: string): void {
  const write = () => {
    while (!response.destroyed && response.write(text));
  };
  response.on('drain', write);
  write();
}

describe('the size and the time of an answer', () => {
  test('a body without an end is broken off at 16 MiB, and not asked for again', async () => {
    let asked = 0;
    const transport = await transportTo((_, response) => {
      asked += 1;
      endless(response, '{"a":'.repeat(10_000));
    });
    await expect(transport.send({ method: 'GET', path: '/x' })).rejects.toMatchObject({
      code: 'response-too-large',
      message: 'GET /x: the response is larger than 16 MiB, and was aborted',
    });
    expect(asked).toBe(1);
  });

  test('a body that trickles is given up', async () => {
    const transport = await transportTo((_, response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    }, 100);
    await expect(transport.send({ method: 'GET', path: '/x' })).rejects.toMatchObject({
      code: 'cluster-unreachable',
      message: 'The API server does not answer: the response was not complete within 0.2 s',
    });
  });

  test('a page that is too large is asked for in smaller ones, and nothing is lost', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `c${index}`);
    const limits: number[] = [];
    const transport = await transportTo((request, response) => {
      const url = new URL(request.url as string, 'http://x');
      const limit = Number(url.searchParams.get('limit'));
      const from = Number(url.searchParams.get('continue') ?? 0);
      limits.push(limit);
      if (limit === 500) return endless(response, 'x'.repeat(65_536));
      const next = from + 10 < names.length ? { continue: String(from + 10) } : {};
      return json(response, { metadata: { resourceVersion: '1', ...next }, items: names.slice(from, from + 10).map(configMap) });
    });
    const items = await createClusterClient(transport, 'default').list(configMaps, {});
    expect(items.map(({ metadata }) => (metadata as { name: string }).name)).toEqual(names);
    expect(limits).toEqual([500, 50, 50, 50]);
  });
});

describe('a list', () => {
  test('whose continue token repeats ends', async () => {
    let asked = 0;
    const transport = await transportTo((_, response) => {
      asked += 1;
      json(response, { metadata: { continue: 'again' }, items: [configMap('a')] });
    });
    await expect(createClusterClient(transport, 'default').list(configMaps, {})).rejects.toMatchObject({
      code: 'response-unexpected',
      message: expect.stringContaining('a page whose continue token is that of the page before'),
    });
    expect(asked).toBe(2);
  });

  test.each([
    [{ items: {} }, 'a list whose items are {}'],
    [{}, 'a list whose items are nothing'],
    [{ items: [7] }, 'a list that holds an object with the value 7'],
    [{ items: [{ metadata: {} }] }, 'a list that holds an object with the name nothing'],
    [{ items: [{ metadata: { name: 'a', managedFields: 'x' } }] }, 'a list that holds an object with the managedFields "x"'],
  ])('%j is none', async (body, says) => {
    const transport = await transportTo((_, response) => json(response, body));
    await expect(createClusterClient(transport, 'default').list(configMaps, {})).rejects.toMatchObject({
      code: 'response-unexpected',
      message: expect.stringContaining(says),
    });
  });
});

describe('one object', () => {
  const address = { resource: configMaps, namespace: 'n', name: 'a' };
  test.each([
    [configMap('b'), 'an object named "b" where "a" was asked for'],
    [{ ...configMap('a'), kind: 'Secret' }, 'an object of kind "Secret" where ConfigMap was asked for'],
    [{ kind: 'ConfigMap' }, 'an object with the metadata nothing'],
    [{ metadata: { name: 'a' } }, 'JSON that has no kind'],
    [{ kind: 'ConfigMap', metadata: { name: 'a', labels: { a: 1 } } }, 'an object with the labels {"a":1}'],
  ])('%j is not what was asked for: GET, PATCH, PUT and DELETE say so', async (body, says) => {
    const cluster = createClusterClient(await transportTo((_, response) => json(response, body)), 'default');
    const refused = { code: 'response-unexpected', message: expect.stringContaining(says) };
    await expect(cluster.tryGet(address)).rejects.toMatchObject(refused);
    await expect(cluster.apply(address, {}, { manager: 'm', force: false })).rejects.toMatchObject(refused);
    await expect(cluster.replace(address, {}, 'm')).rejects.toMatchObject(refused);
    await expect(cluster.delete(address, { uid: 'a', propagationPolicy: 'Background' })).rejects.toMatchObject(refused);
  });

  test('a 404 is an absent object only where a Kubernetes API server says so', async () => {
    let answer: string | object = '404 page not found\n';
    const transport = await transportTo((_, response) => {
      response.statusCode = 404;
      if (typeof answer === 'string') response.end(answer);
      else json(response, answer);
    });
    const cluster = createClusterClient(transport, 'default');
    expect(await cluster.tryGet(address)).toBeUndefined();
    answer = { kind: 'Status', status: 'Failure', code: 404, reason: 'NotFound' };
    expect(await cluster.tryGet(address)).toBeUndefined();
    for (const other of ['Not Found', '<html>nginx</html>', { error: 'no such route' }, '']) {
      answer = other;
      await expect(cluster.tryGet(address)).rejects.toMatchObject({ code: 'response-unexpected' });
    }
  });
});

describe('a watch', () => {
  async function watched(answer: (response: ServerResponse) => void): Promise<unknown> {
    const transport = await transportTo((_, response) => answer(response));
    const options = { resourceVersion: '1', timeoutSeconds: 5, signal: new AbortController().signal };
    const events: unknown[] = [];
    try {
      for await (const event of createClusterClient(transport, 'default').watch(configMaps, options)) events.push(event);
      return events;
    } catch (error) {
      return error;
    }
  }

  test('a line without an end is broken off', async () => {
    expect(await watched((response) => endless(response, 'x'.repeat(65_536)))).toMatchObject({ code: 'response-too-large' });
  });

  test.each<[string, (response: ServerResponse) => void, string]>([
    ['rubbish', (response) => response.end('rubbish\n'), 'an event that is text that is not JSON: "rubbish"'],
    [
      'null for an object',
      (response) => response.end('{"type":"ADDED","object":null}\n'),
      'a watch event: a list that holds an object with the value null',
    ],
    [
      'deep nesting',
      (response) => response.end(`${'['.repeat(100_000)}${']'.repeat(100_000)}\n`),
      'an event that is nested more than 1000 levels deep',
    ],
    ['a login page', (response) => response.writeHead(302, { location: 'https://login/' }).end(), '302, a redirect to https://login/'],
    ['a refusal of another server', (response) => response.writeHead(403).end('<html>no</html>'), '403 with HTML ("no")'],
  ])('%s is an error that says so', async (_, answer, says) => {
    expect(await watched(answer)).toMatchObject({ code: 'response-unexpected', message: expect.stringContaining(says) });
  });

  test('lines that come in pieces and several at once are whole events; what is not known is passed over', async () => {
    const line = (name: string, type = 'ADDED') => `${JSON.stringify({ type, object: configMap(name) })}\n`;
    const text = line('a') + line('b', 'BOOKMARK') + line('c');
    const events = await watched((response) => {
      response.write(text.slice(0, 30));
      setImmediate(() => response.end(`${text.slice(30)}null\n\n`));
    });
    expect(events).toEqual([
      { type: 'ADDED', object: configMap('a') },
      { type: 'ADDED', object: configMap('c') },
    ]);
  });
});

const basic = `Basic ${Buffer.from('carol:pass word"').toString('base64')}`;
const ended = (response: ServerResponse, code: number, headers: OutgoingHttpHeaders, text: string) =>
  void response.writeHead(code, headers).end(text);
const quoting: readonly {
  what: string;
  authorization?: string;
  answer: (sent: string, response: ServerResponse) => void;
  message: RegExp;
}[] = [
  {
    what: 'a Status',
    answer: (sent, response) =>
      json(Object.assign(response, { statusCode: 403 }), { kind: 'Status', status: 'Failure', message: `${sent} is not allowed` }),
    message: /^Bearer \*\*\* is not allowed$/,
  },
  {
    what: 'a Status with the code 200',
    answer: (sent, response) => json(response, { kind: 'Status', status: 'Failure', message: `no ${sent}` }),
    message: /200 with an error in it \("no Bearer \*\*\*"\)/,
  },
  {
    what: 'a Status that escapes it',
    answer: (_, response) =>
      ended(response, 403, { 'content-type': 'application/json' }, '{"kind":"Status","message":"\\u0073ecret-token-0123456789 is wrong"}'),
    message: /^\*\*\* is wrong$/,
  },
  {
    what: 'text that is not JSON',
    answer: (sent, response) => ended(response, 403, { 'content-type': 'text/plain' }, `denied: ${sent}`),
    message: /text\/plain that is not JSON: "denied: Bearer \*\*\*"/,
  },
  {
    what: 'a page',
    answer: (sent, response) => ended(response, 200, {}, `<html><title>${sent}</title></html>`),
    message: /HTML \("Bearer \*\*\*"\)/,
  },
  {
    what: 'a redirect',
    answer: (sent, response) => ended(response, 302, { location: `https://me:pw@login.example.com/${sent.slice(7)}?next=1` }, ''),
    message: /a redirect to https:\/\/\*\*\*@login\.example\.com\/\*\*\*,/,
  },
  {
    what: 'a password',
    authorization: basic,
    answer: (sent, response) => ended(response, 403, {}, `the password pass word" of ${sent}`),
    message: /the password \*\*\* of Basic \*\*\*/,
  },
];

test.each(quoting)('$what that quotes the credentials of the request is shown without them', async ({ authorization, answer, message }) => {
  const headers = { Authorization: authorization ?? 'Bearer secret-token-0123456789' };
  const transport = await transportTo((request, response) => answer(request.headers.authorization ?? '', response), 60_000, headers);
  await expect(transport.send({ method: 'GET', path: '/x' })).rejects.toThrow(message);
  const events = transport.stream({ path: '/x', query: {}, signal: new AbortController().signal, timeoutSeconds: 5 });
  if (message.source.includes('200') || message.source.includes('HTML')) return; // A stream reads lines there.
  await expect(events[Symbol.asyncIterator]().next()).rejects.toThrow(message);
});

test('an object keeps a token of the request, which may be its content', async () => {
  const transport = await transportTo(
    (_, response) => json(response, { kind: 'Secret', data: { token: 'secret-token-0123456789' } }),
    60_000,
    {
      Authorization: 'Bearer secret-token-0123456789',
    },
  );
  const { body } = await transport.send({ method: 'GET', path: '/x' });
  expect(body).toEqual({ kind: 'Secret', data: { token: 'secret-token-0123456789' } });
});
