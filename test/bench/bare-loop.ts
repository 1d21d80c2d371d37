import { Agent, request } from 'node:https';

const concurrency = 16;

/** A PATCH as the engine sends it, or a deletion. */
export interface BareRequest {
  readonly method?: 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string;
}

/** The address of a server and the rights of its administrator. */
export interface Connection {
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  readonly authorization: string;
}

/** The floor that the server sets: the same requests over keep-alive connections, with nothing around them. Returns seconds. */
export async function bareLoop(connection: Connection, requests: readonly BareRequest[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency, ca: connection.ca });
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < requests.length) await bareRequest(connection, agent, requests[next++]!);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - start) / 1000;
  agent.destroy();
  return seconds;
}

/** Sends one request and reads the response. */
export async function bareRequest(
  { server, authorization }: Connection,
  agent: Agent,
  { method = 'PATCH', path, body = '' }: BareRequest,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const headers = {
      authorization,
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
      ...(method === 'PATCH' ? { 'content-type': 'application/apply-patch+yaml' } : {}),
      'content-length': Buffer.byteLength(body),
    };
    const call = request(`${server}${path}`, { method, agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if ((response.statusCode ?? 500) < 300) resolve(void JSON.parse(text));
        else reject(new Error(`bare ${method}: ${response.statusCode} ${text}`));
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}
