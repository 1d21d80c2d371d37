import { ApiClient, type ResponseBody } from './api-client.js';
import type { TestEnvironment } from './test-environment.js';

export interface Sent {
  readonly status: number;
  readonly body: ResponseBody;
}

/** Sends one request as the user of a kubeconfig, or as one whom that user impersonates; the answer may be an error. */
export type Send = (method: string, path: string, body?: unknown, user?: string) => Promise<Sent>;

export function sender(testEnvironment: TestEnvironment, kubeconfig = testEnvironment.kubeconfig): Send {
  const client = new ApiClient(kubeconfig);
  testEnvironment.onCleanup(() => client.close());
  const server = client.connection.server.replace(/\/$/, '');
  return async (method, path, body, user) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { 'content-type': type, ...(user === undefined ? {} : { 'impersonate-user': user }) };
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const { status, text } = await client.raw(method, new URL(server + path), headers, bytes);
    return { status, body: JSON.parse(text) };
  };
}
