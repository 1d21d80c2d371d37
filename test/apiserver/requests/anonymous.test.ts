import { expect, test } from 'vitest';
import { RawConnection, requestText } from '../../harness/raw-http.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** A request without a token is one of `system:anonymous`, whom RBAC lets see that a server is there. */
const testEnvironment = await TestEnvironment.create('anonymous');
const { connection } = testEnvironment.cluster.client;

async function send(target: string, authorization: string | undefined) {
  const raw = await RawConnection.open(connection);
  try {
    raw.write(requestText('GET', target, { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) }));
    const { status, headers, body } = (await raw.response())!;
    return { status, warning: headers.warning, message: body.startsWith('{') ? JSON.parse(body).message : body };
  } finally {
    raw.close();
  }
}

const list = 'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope';
const spaces = '299 - "the provided Authorization header contains extra space before the bearer token, and is ignored"';

test.each<readonly [authorization: string | undefined, warning?: string]>([
  [undefined],
  [''],
  ['Bearer'],
  ['Bearer '],
  ['Bearer  token', spaces],
  ['Basic YTpi'],
  ['Token x'],
  ['XBearer x'],
])('the header Authorization: %s names nobody', async (authorization, warning) => {
  expect(await send('/api/v1/namespaces', authorization)).toEqual({ status: 403, warning, message: list });
});

test.each(['Bearer x', 'bearer x', 'Bearer x y'])('the header Authorization: %s has a token that is not valid', async (authorization) => {
  expect(await send('/version', authorization)).toMatchObject({ status: 401, message: 'Unauthorized' });
});

test.each(['/healthz', '/livez', '/readyz'])('everybody may ask for %s', async (path) => {
  expect(await send(path, undefined)).toMatchObject({ status: 200, message: 'ok' });
});

test.each(['/', '/api', '/apis/apps/v1', '/openapi/v3', '/nothing', '/readyz/ping'])(
  'nobody without a token may ask for %s',
  async (path) => {
    const message = `forbidden: User "system:anonymous" cannot get path "${path}"`;
    expect(await send(path, undefined)).toMatchObject({ status: 403, message });
  },
);
