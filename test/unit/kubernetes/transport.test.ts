import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ApiError, type Connection, createClusterClient, Transport } from '../../../src/kubernetes/index.js';
import { FieldwiseError } from '../../../src/util/error.js';

const open: Server[] = [];
const transports: Transport[] = [];
afterEach(() => {
  for (const transport of transports.splice(0)) transport.close();
  for (const server of open.splice(0)) server.close();
});

/** A transport to an HTTP server that answers as told. */
async function transportTo(answer: (request: IncomingMessage, body: string, response: ServerResponse) => void, concurrency?: number) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, Buffer.concat(chunks).toString(), response));
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const transport = new Transport(connectionTo(`http://127.0.0.1:${port}`), concurrency === undefined ? {} : { concurrency });
  transports.push(transport);
  return transport;
}

function connectionTo(server: string): Connection {
  return { server, tls: {}, headers: async () => ({ Authorization: 'Bearer t' }), namespace: undefined, context: 'test' };
}

describe('the transport', () => {
  test('sends the body byte for byte, with credentials and query', async () => {
    const seen: string[] = [];
    const transport = await transportTo((request, body, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${body}`);
      response.end('{"a":1}');
    });
    const body = '{"b":[1,  2], "ü":"…"}';
    const answer = await transport.send({ method: 'PATCH', path: '/x', query: { force: 'true', dryRun: undefined }, body });
    expect(seen).toEqual([`PATCH /x?force=true Bearer t ${body}`]);
    expect(answer).toEqual({ code: 200, body: { a: 1 }, warnings: [] });
  });

  test('asks below the path of the server, and encodes what a path may not hold', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.url} at ${request.headers.host}`);
      response.end('{}');
    });
    open.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const prefix of ['', '/clusters/one']) {
      const transport = new Transport(connectionTo(`http://${host}${prefix}`));
      transports.push(transport);
      await transport.send({ method: 'GET', path: '/api/v1/pods/a%20b', query: { limit: '1' } });
      await transport.send({ method: 'GET', path: '/apis/ü b', query: { dryRun: 'All' } });
    }
    const below = (prefix: string) => [`${prefix}/api/v1/pods/a%20b?limit=1 at ${host}`, `${prefix}/apis/%C3%BC%20b?dryRun=All at ${host}`];
    expect(seen).toEqual([...below(''), ...below('/clusters/one')]);
  });

  test('keeps connections alive and never has more requests in flight than allowed', async () => {
    let now = 0;
    let most = 0;
    const sockets = new Set<unknown>();
    const transport = await transportTo((request, _, response) => {
      sockets.add(request.socket);
      most = Math.max(most, ++now);
      // The time that the server works on a request: a request too many would come meanwhile.
      setTimeout(() => {
        now--;
        response.end('{}');
      }, 5);
    }, 3);
    await Promise.all(Array.from({ length: 30 }, () => transport.send({ method: 'GET', path: '/' })));
    expect(most).toBe(3);
    expect(sockets.size).toBe(3);
  });

  test('reads warnings', async () => {
    const transport = await transportTo((_, __, response) => {
      response.setHeader('Warning', ['299 - "one \\"quoted\\""', '299 - "two"']);
      response.end('{}');
    });
    expect((await transport.send({ method: 'GET', path: '/' })).warnings).toEqual(['one "quoted"', 'two']);
  });

  test.each([
    [401, 'authentication-failed'],
    [403, undefined],
  ])('an answer %i', async (code, own) => {
    const transport = await transportTo((_, __, response) => {
      response.statusCode = code;
      response.end('{"kind":"Status","message":"no"}');
    });
    const error = await transport.send({ method: 'GET', path: '/' }).catch((caught: unknown) => caught);
    if (own) expect(error).toMatchObject({ code: own, kind: 'authentication' });
    else expect(error).toMatchObject({ code, message: 'no' });
  });

  test('a server that is not there is one clear error', async () => {
    const transport = new Transport(connectionTo('http://127.0.0.1:1'));
    const error = await transport.send({ method: 'GET', path: '/' }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(FieldwiseError);
    expect((error as FieldwiseError).describe()).toMatch(/does not answer.*ECONNREFUSED.*http:\/\/127\.0\.0\.1:1/);
  });
});

describe('discovery', () => {
  test('asks once for a group-version, however many ask at once, and again after a miss', async () => {
    const asked: string[] = [];
    const kinds = [
      { name: 'things', kind: 'Thing', namespaced: true },
      { name: 'things/status', kind: 'Thing', namespaced: true },
    ];
    const transport = await transportTo((request, _, response) => {
      asked.push(String(request.url));
      response.end(JSON.stringify({ resources: kinds }));
    });
    const cluster = createClusterClient(transport, 'default');
    const found = await Promise.all(Array.from({ length: 20 }, () => cluster.resourceOf('e.io/v1', 'Thing')));
    expect(new Set(found.map((resource) => resource.plural))).toEqual(new Set(['things']));
    expect(asked).toEqual(['/apis/e.io/v1']);
    await expect(cluster.resourceOf('e.io/v1', 'Other')).rejects.toMatchObject({ code: 'kind-unknown' });
    kinds.push({ name: 'others', kind: 'Other', namespaced: false });
    await expect(cluster.resourceOf('e.io/v1', 'Other')).resolves.toMatchObject({ plural: 'others', namespaced: false });
  });
});

describe('what a refusal says', () => {
  const status = (code: number, body: object) => new ApiError('PATCH', '/', code, { kind: 'Status', ...body } as never);
  const cause = (field: string) => ({ reason: 'FieldValueInvalid', field, message: 'field is immutable' });

  test('uid mismatch: gone, replaced, or neither', () => {
    expect(status(409, { reason: 'Conflict', message: 'uid mismatch: the provided object specified uid u' }).uidMismatch).toBe('absent');
    expect(status(422, { reason: 'Invalid', details: { causes: [cause('metadata.uid'), cause('metadata.uid')] } }).uidMismatch).toBe(
      'replaced',
    );
    expect(status(422, { reason: 'Invalid', details: { causes: [cause('spec.selector')] } }).uidMismatch).toBeUndefined();
  });

  test('a stale resourceVersion is told apart from conflicts of managers', () => {
    expect(status(409, { reason: 'Conflict', message: 'the object has been modified' }).stale).toBe(true);
    const managers = { causes: [{ reason: 'FieldManagerConflict', field: '.spec.a', message: 'conflict with "m"' }] };
    expect(status(409, { reason: 'Conflict', details: managers }).stale).toBe(false);
    expect(status(409, { reason: 'Conflict', details: managers }).conflicts).toHaveLength(1);
  });
});

test('a busy server (429) is asked again after the time that it names', async () => {
  const asked: number[] = [];
  const transport = await transportTo((_, __, response) => {
    asked.push(Date.now());
    response.statusCode = asked.length === 1 ? 429 : 200;
    response.setHeader('Retry-After', '1');
    response.end('{"done":true}');
  });
  expect((await transport.send({ method: 'GET', path: '/' })).body).toEqual({ done: true });
  expect(asked).toHaveLength(2);
  expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThanOrEqual(990);
});
