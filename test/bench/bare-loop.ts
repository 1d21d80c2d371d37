import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parse } from 'yaml';

const concurrency = 16;

/** A PATCH as the engine sends it. */
export interface BarePatch {
  readonly path: string;
  readonly body: string;
}

/** The address of a server and the rights of its administrator. */
export interface Connection {
  readonly server: string;
  readonly ca: Buffer;
  readonly authorization: string;
}

/** The floor that the server sets: the same PATCHes over keep-alive connections, with nothing around them. Returns seconds. */
export async function bareLoop(kubeconfig: string, patches: readonly BarePatch[]): Promise<number> {
  const connection = connectionOf(kubeconfig);
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency, ca: connection.ca });
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < patches.length) await barePatch(connection, agent, patches[next++]!);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - start) / 1000;
  agent.destroy();
  return seconds;
}

export function connectionOf(kubeconfig: string): Connection {
  const config = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const { server, 'certificate-authority-data': ca } = config.clusters[0]!.cluster;
  return { server, ca: Buffer.from(ca, 'base64'), authorization: `Bearer ${config.users[0]!.user.token}` };
}

/** Sends one PATCH and reads the response. */
export async function barePatch({ server, authorization }: Connection, agent: Agent, { path, body }: BarePatch): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const headers = {
      authorization,
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
      'content-type': 'application/apply-patch+yaml',
      'content-length': Buffer.byteLength(body),
    };
    const call = request(`${server}${path}`, { method: 'PATCH', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if ((response.statusCode ?? 500) < 300) resolve(void JSON.parse(text));
        else reject(new Error(`bare PATCH: ${response.statusCode} ${text}`));
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}
