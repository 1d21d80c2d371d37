import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { callApi } from '../../../../src/cli/comment/call-api.js';

afterEach(() => vi.unstubAllEnvs());

test('a comment goes through the proxy of the environment, which resolves the name of the server', async () => {
  const seen: unknown[] = [];
  const proxy = createServer((request, response) => {
    let text = '';
    request
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        text += chunk;
      })
      .on('end', () => {
        const { host, 'proxy-authorization': authorization } = request.headers;
        seen.push([request.method, request.url, host, authorization, text]);
        response.end('{"id":1}');
      });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('HTTP_PROXY', `http://me:pw@127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  vi.stubEnv('NO_PROXY', '');
  const access = {
    url: 'http://api.git.internal/v3',
    headers: { Authorization: 'Bearer t' },
    token: 't',
    signal: new AbortController().signal,
  };
  expect(await callApi(access, 'POST', '/comments', { body: 'plan' })).toEqual({ id: 1 });
  const basic = `Basic ${Buffer.from('me:pw').toString('base64')}`;
  expect(seen).toEqual([['POST', 'http://api.git.internal/v3/comments', 'api.git.internal', basic, '{"body":"plan"}']]);
  proxy.close();
});
