import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ApiRequest, type RequestLock, Transport } from '../../../src/kubernetes/index.js';
import { FieldwiseError } from '../../../src/util/error.js';

/** What the server does with a request: answers with a code, or drops the connection. */
type Answer = number | 'drop';

let server: Server;
let transport: Transport;
let answers: Answer[];
/** The requests that have reached the server. */
let arrived: string[];
/** Called when a request has reached the server, before it is answered. */
let onArrival: () => void;

beforeEach(async () => {
  [answers, arrived, onArrival] = [[], [], () => {}];
  server = createServer((request, response) => {
    request.resume();
    arrived.push(`${request.method}`);
    onArrival();
    const answer = answers.shift() ?? 200;
    if (answer === 'drop') return void response.destroy();
    response.writeHead(answer, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(answer < 400 ? { kind: 'ConfigMap' } : { kind: 'Status', code: answer, message: 'no' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  transport = new Transport({ server: `http://127.0.0.1:${port}`, namespace: 'default', tls: {}, headers: async () => ({}) } as never);
});
afterEach(() => {
  transport.close();
  server.closeAllConnections();
  server.close();
});

/** A lock that the test loses. */
class TestLock implements RequestLock {
  isLost = false;
  /** The times that the holder has been asked to make sure. */
  asked = 0;
  get isCertain(): boolean {
    return !this.isLost;
  }
  async ensureHeld(): Promise<void> {
    this.asked++;
    if (this.isLost) throw new FieldwiseError('lock-lost', 'resource', 'The lock is lost', { next: 'Run again.' });
  }
}

const patch: ApiRequest = { method: 'PATCH', path: '/api/v1/namespaces/default/configmaps/c', body: '{}' };
const get: ApiRequest = { method: 'GET', path: patch.path };
const dryRun: ApiRequest = { ...patch, query: { dryRun: 'All' } };

describe('a request whose sender loses its lock', () => {
  test.each([
    { when: 'before', request: patch },
    { when: 'before', request: get },
  ])('$when it is sent is not sent: $request.method', async ({ request }) => {
    const lock = new TestLock();
    lock.isLost = true;
    await expect(transport.send(request, { lock })).rejects.toMatchObject({ code: 'lock-lost' });
    expect(arrived).toEqual([]);
  });

  test.each<{ readonly request: ApiRequest; readonly answer: Answer; readonly error: object | undefined }>([
    { request: patch, answer: 200, error: { code: 'outcome-unknown', next: 'Run again.' } },
    { request: patch, answer: 500, error: { code: 'outcome-unknown' } },
    { request: patch, answer: 403, error: { code: 'outcome-unknown' } },
    { request: patch, answer: 'drop', error: { code: 'outcome-unknown' } },
    { request: { ...patch, method: 'DELETE' }, answer: 404, error: { code: 'outcome-unknown' } },
    { request: patch, answer: 409, error: { name: 'ApiError', code: 409 } },
    { request: dryRun, answer: 200, error: undefined },
    { request: get, answer: 200, error: undefined },
  ])('while the server has it: $request.method $request.query, answered by $answer', async ({ request, answer, error }) => {
    const lock = new TestLock();
    answers = [answer];
    onArrival = () => {
      lock.isLost = true;
    };
    const sent = transport.send(request, { lock });
    await (error === undefined ? expect(sent).resolves.toMatchObject({ code: 200 }) : expect(sent).rejects.toMatchObject(error));
    expect(arrived).toHaveLength(1);
  });
});

test('a write whose connection opens after the lock has become uncertain is sent once it is certain again', async () => {
  const lock = new TestLock();
  const states = [true, false, false];
  const changing: RequestLock = {
    get isCertain() {
      return states.shift() ?? true;
    },
    ensureHeld: () => lock.ensureHeld(),
  };
  await expect(transport.send(patch, { lock: changing })).resolves.toMatchObject({ code: 200 });
  expect([arrived, lock.asked, states]).toEqual([['PATCH'], 1, []]);
});

test('each repetition asks the lock', async () => {
  const lock = new TestLock();
  answers = [503, 503, 200];
  let certain = 0;
  const counting: RequestLock = {
    get isCertain() {
      certain++;
      return true;
    },
    ensureHeld: () => lock.ensureHeld(),
  };
  await transport.send(patch, { lock: counting });
  expect(arrived).toHaveLength(3);
  expect(certain).toBe(7); // before each attempt and before its first byte, and when the last response has arrived
});
