import { expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../src/entry/embedded.js';
import { inProcessClient } from '../../../src/entry/in-process.js';

/** A client without a socket, and the paths of the requests that reached the server. */
async function client() {
  const server = await EmbeddedApiServer.start({ port: false });
  const paths: string[] = [];
  const handle: EmbeddedApiServer['handle'] = (request) => {
    paths.push(request.path);
    return server.handle(request);
  };
  return { cluster: inProcessClient({ handle }), paths };
}

test('a request in process is sent only where its context admits it, as over HTTP', async () => {
  const { cluster, paths } = await client();
  const gates: string[] = [];
  const gated = cluster.withContext({ lock: { isCertain: false, ensureHeld: async () => void gates.push('asked') } });
  expect(await gated.version()).toMatch(/^v1\./);
  expect([gates, paths]).toEqual([['asked'], ['/version']]);
  const closed = cluster.withContext({ lock: { isCertain: false, ensureHeld: () => Promise.reject(new Error('the lock is lost')) } });
  await expect(closed.version()).rejects.toThrow('the lock is lost');
  const interrupted = gated.withContext({ signal: AbortSignal.abort() });
  await expect(interrupted.version()).rejects.toMatchObject({ code: 'interrupted' });
  expect([gates, paths]).toEqual([['asked'], ['/version']]);
});
