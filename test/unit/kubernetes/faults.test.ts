import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type Connection, type RequestContext, type Retry, Transport, type TransportOptions } from '../../../src/kubernetes/index.js';
import { poll } from '../../harness/poll.js';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const open: { close(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0).reverse()) one.close();
});

/** A server that gives one answer after the other, the last for ever, and a transport to it. */
async function serverAnswering(answers: readonly Answer[], options: TransportOptions = {}) {
  const asked: { method: string | undefined; at: number }[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      asked.push({ method: request.method, at: performance.now() });
      (answers[asked.length - 1] ?? answers.at(-1))?.(response, request);
    });
  });
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  return { asked, server, port, transport: transportTo(port, options) };
}

function transportTo(port: number, options: TransportOptions = {}): Transport {
  const headers = async () => ({});
  const connection: Connection = { server: `http://127.0.0.1:${port}`, tls: {}, headers, namespace: undefined, context: 'test' };
  const transport = new Transport(connection, options);
  open.push(transport);
  return transport;
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  open.push({ close: () => server.closeAllConnections() }, { close: () => server.close() });
}

const status = (code: number, message: string, headers: Record<string, string> = {}): Answer => {
  const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code });
  return (response) => response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(body);
};
const good: Answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
const drop: Answer = (response) => response.destroy();
const cutOff: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '13' });
  response.write('{"done"', () => response.destroy());
};
/** Cut off by something on the way that counts anew. */
const shortened: Answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"done"');
const silence: Answer = () => {};

const patch = { method: 'PATCH', path: '/thing', body: '{}' } as const;
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: unknown) => error,
  );

describe('trouble that passes: the request is sent again, and the answer says whether one was lost before', () => {
  test.each<[what: string, trouble: Answer, responseLost: boolean]>([
    ['a busy server', status(429, 'too many requests', { 'retry-after': '0' }), false],
    ['an unavailable server', status(503, 'not ready'), true],
    ['a gateway without an answer', status(504, 'timeout'), true],
    ['a gateway without a server', status(502, 'bad gateway'), true],
    ['etcd with a new leader', status(500, 'etcdserver: leader changed'), true],
    ['etcd that is slow', status(500, 'etcdserver: request timed out'), true],
    ['a dropped connection', drop, true],
    ['a body that breaks off', cutOff, true],
    ['a body that is too short', shortened, true],
  ])('%s', async (_, trouble, responseLost) => {
    const { transport, asked } = await serverAnswering([trouble, trouble, good]);
    const retries: Retry[] = [];
    const answer = await transport.send(patch, { onRetry: (retry) => void retries.push(retry) });
    expect(answer).toEqual({ code: 200, body: { done: true }, warnings: [], ...(responseLost ? { responseLost } : {}) });
    expect(asked).toHaveLength(3);
    expect(retries).toMatchObject(
      [1, 2].map((attempt) => ({ method: 'PATCH', path: '/thing', attempt, reason: expect.stringMatching(/./) })),
    );
  });

  test('a read loses nothing that would have to be settled', async () => {
    const { transport } = await serverAnswering([drop, good]);
    expect(await transport.send({ method: 'GET', path: '/' })).not.toHaveProperty('responseLost');
  });

  test('a refusal after a lost answer says so', async () => {
    const { transport } = await serverAnswering([drop, status(409, 'exists')]);
    expect(await failure(transport.send({ method: 'POST', path: '/', body: '{}' }))).toMatchObject({ code: 409, responseLost: true });
  });

  test('a server that restarts: refused connections are waited for', async () => {
    const { transport, server, port, asked } = await serverAnswering([good]);
    await transport.send(patch);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const retries: Retry[] = [];
    const waiting = transport.send(patch, { onRetry: (retry) => retries.push(retry) });
    await poll('two connections are refused', () => retries.length > 1);
    await listen(server, port);
    expect((await waiting).body).toEqual({ done: true });
    expect(asked).toHaveLength(2);
  });

  test('the pauses grow; Retry-After is kept to', async () => {
    const { transport, asked } = await serverAnswering([drop, drop, drop, status(503, '', { 'retry-after': '1' }), good]);
    await transport.send(patch);
    const gaps = asked.slice(1).map(({ at }, index) => at - asked[index]!.at);
    for (const [index, least] of [95, 195, 395, 995].entries()) expect(gaps[index]).toBeGreaterThan(least);
  });
});

describe('trouble that stays', () => {
  test.each<[what: string, trouble: Answer, code: string | number]>([
    ['dropped connections', drop, 'cluster-unreachable'],
    ['a gateway', status(502, 'bad gateway'), 502],
  ])('%s: given up after a bounded number of attempts', async (_, trouble, code) => {
    const { transport, asked } = await serverAnswering([trouble]);
    expect(await failure(transport.send(patch))).toMatchObject({ code });
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.length).toBeLessThan(10);
  });

  test('given up when patience is at its end', async () => {
    const { transport, asked } = await serverAnswering([status(503, 'not ready')], { retryTimeoutMs: 500 });
    expect(await failure(transport.send(patch))).toMatchObject({ code: 503 });
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.length).toBeLessThan(6);
  });

  test('a server that asks to wait longer than patience lasts is not asked again', async () => {
    const { transport, asked } = await serverAnswering([
      status(429, '', { 'retry-after': '0' }),
      status(429, '', { 'retry-after': '3600' }),
    ]);
    expect(await failure(transport.send(patch))).toMatchObject({ code: 429 });
    expect(asked).toHaveLength(2);
  });

  test('no answer at all is given up in time', async () => {
    const { transport, asked } = await serverAnswering([silence], { timeoutMs: 100, retryTimeoutMs: 300 });
    expect(await failure(transport.send(patch))).toMatchObject({ code: 'cluster-unreachable' });
    expect(asked.length).toBeGreaterThan(1);
  });

  test.each([400, 403, 404, 409, 422, 500, 501])('a refusal (%i) is never repeated', async (code) => {
    const { transport, asked } = await serverAnswering([status(code, 'no')]);
    expect(await failure(transport.send(patch))).toMatchObject({ code, responseLost: false });
    expect(asked).toHaveLength(1);
  });
});

describe('an interrupt', () => {
  const interrupted = async (answers: readonly Answer[], request: Parameters<Transport['send']>[0], attendance: RequestContext = {}) => {
    const { transport, asked } = await serverAnswering(answers);
    const interrupt = new AbortController();
    const onRetry = () => interrupt.abort();
    return { error: await failure(transport.send(request, { signal: interrupt.signal, onRetry, ...attendance })), asked };
  };

  test('ends a pause at once: what a lost answer leaves open is said', async () => {
    const { error, asked } = await interrupted([drop], patch);
    expect(error).toMatchObject({ code: 'response-lost', kind: 'interrupted' });
    expect(asked).toHaveLength(1);
  });

  test('where nothing is open it is only an interrupt', async () => {
    expect((await interrupted([status(429, 'busy', { 'retry-after': '30' })], patch)).error).toMatchObject({ code: 'interrupted' });
    expect((await interrupted([drop], { method: 'GET', path: '/' })).error).toMatchObject({ code: 'interrupted' });
  });

  test('lets a request under way come to its end, and the next not begin', async () => {
    const interrupt = new AbortController();
    const { transport, asked } = await serverAnswering([
      (response, request) => {
        interrupt.abort();
        setImmediate(() => good(response, request)); // everything that hears of the interrupt has done so
      },
    ]);
    expect((await transport.send(patch, { signal: interrupt.signal })).body).toEqual({ done: true });
    expect(await failure(transport.send(patch, { signal: interrupt.signal }))).toMatchObject({ code: 'interrupted' });
    expect(asked).toHaveLength(1);
  });
});

describe('requests in flight', () => {
  /** A server that is overloaded by more than `capacity` requests at once. Its first answer waits until all places are taken. */
  async function inFlight(capacity: number, requests: number, concurrency: number) {
    let now = 0;
    let allIn = () => {};
    const full = new Promise<void>((resolve) => {
      allIn = resolve;
    });
    const busy = () => now > capacity;
    const seen: number[] = [];
    const { transport } = await serverAnswering(
      [
        (response, request) => {
          now += 1;
          seen.push(now);
          if (now === concurrency) allIn();
          const answer = busy() ? status(429, 'busy', { 'retry-after': '0' }) : good;
          void full.then(() =>
            // The time that the server works on a request: without it, few requests would overlap.
            setTimeout(() => {
              now -= 1;
              answer(response, request);
            }, 5),
          );
        },
      ],
      { concurrency },
    );
    await Promise.all(Array.from({ length: requests }, () => transport.send(patch)));
    return seen;
  }

  test('an overloaded server gets fewer at once, until it can keep up', async () => {
    const seen = await inFlight(5, 200, 16);
    expect(Math.max(...seen)).toBe(16);
    expect(Math.max(...seen.slice(-100))).toBeLessThanOrEqual(10);
  });

  test('a server that keeps up gets as many as are allowed, never more', async () => {
    expect(Math.max(...(await inFlight(100, 100, 7)))).toBe(7);
  });
});

test('a stream that breaks off is an error of the connection, not one of Fieldwise', async () => {
  const begun: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"type":"ADDED"}\n', () => setTimeout(() => response.destroy(), 20));
  };
  for (const [answer, events] of [
    [begun, 1],
    [drop, 0],
  ] as const) {
    const { transport } = await serverAnswering([answer]);
    const seen: unknown[] = [];
    const read = async () => {
      const request = { path: '/things', query: { watch: 'true' }, signal: new AbortController().signal, timeoutSeconds: 10 };
      for await (const event of transport.stream(request)) seen.push(event);
    };
    expect(await failure(read())).toMatchObject({ code: 'cluster-unreachable', message: expect.stringMatching(/does not answer/) });
    expect(seen).toHaveLength(events);
  }
});
