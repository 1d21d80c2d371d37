import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { OpenApiDocument } from '../src/schema/index.js';
import { fetchOpenApi } from './index.js';

/** Reads OpenAPI v3 documents of the Kubernetes API from a directory, a file, or the server of a kubeconfig. */
export async function documentsAt(path: string): Promise<readonly OpenApiDocument[]> {
  const names = (await stat(path)).isDirectory() ? (await readdir(path)).sort().map((name) => join(path, name)) : [path];
  const documents: OpenApiDocument[] = [];
  for (const name of names) {
    if (!name.endsWith('.json')) continue;
    const document: unknown = JSON.parse(await readFile(name, 'utf8'));
    // A directory may contain an index beside the documents.
    if (names.length > 1 && (document as { openapi?: unknown }).openapi === undefined) continue;
    documents.push({ name, document });
  }
  return documents;
}

/** Reads the server of the kubeconfig's current context, with its token or client certificate. */
export async function documentsOfServer(kubeconfig: string): Promise<readonly OpenApiDocument[]> {
  const config = parse(await readFile(kubeconfig, 'utf8')) as Kubeconfig;
  const context = config.contexts.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config.users.find(({ name }) => name === context?.user)?.user ?? {};
  if (cluster === undefined) throw new Error(`${kubeconfig} has no current context with a cluster.`);
  const options = {
    ca: decoded(cluster['certificate-authority-data']) ?? (await fileAt(cluster['certificate-authority'])),
    cert: decoded(user['client-certificate-data']) ?? (await fileAt(user['client-certificate'])),
    key: decoded(user['client-key-data']) ?? (await fileAt(user['client-key'])),
    rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
    headers: { accept: 'application/json', ...(user.token === undefined ? {} : { authorization: `Bearer ${user.token}` }) },
  };
  return fetchOpenApi((path) => fetchJson(new URL(path, cluster.server), options), isBuiltIn);
}

/**
 * Starts the kube-apiserver of the tests, in the version that `test/real-apiserver/go.mod` pins, and reads it. Ignores a cluster or binaries
 * that the environment names for tests: they may have another version.
 */
export async function documentsOfTestServer(): Promise<readonly OpenApiDocument[]> {
  const { KUBECONFIG_TEST: _, KUBEBUILDER_ASSETS: __, ...environment } = process.env;
  const start = fileURLToPath(new URL('../test/harness/start.ts', import.meta.url));
  // The server runs until its standard input ends.
  const server = spawn(process.execPath, ['--import', 'tsx', start], { env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(server, 'exit');
  try {
    const [kubeconfig] = await Promise.race([once(createInterface(server.stdout), 'line'), exited.then(() => [])]);
    if (typeof kubeconfig !== 'string') throw new Error('The API server of the tests did not start; its output is above.');
    return await documentsOfServer(kubeconfig);
  } finally {
    server.stdin.end();
    await exited;
  }
}

// Returns true for groups that Kubernetes itself serves; a test server may also serve custom resources.
function isBuiltIn(groupVersion: string): boolean {
  return /^api\/v1$|^apis\/([a-z]+|[a-z.]+\.k8s\.io)\/v\d+$/.test(groupVersion);
}

interface Kubeconfig {
  readonly 'current-context': string;
  readonly contexts: readonly { readonly name: string; readonly context: { readonly cluster: string; readonly user: string } }[];
  readonly clusters: readonly { readonly name: string; readonly cluster: Record<string, unknown> & { readonly server: string } }[];
  readonly users: readonly { readonly name: string; readonly user: Record<string, unknown> & { readonly token?: string } }[];
}

function decoded(data: unknown): Buffer | undefined {
  return typeof data === 'string' ? Buffer.from(data, 'base64') : undefined;
}

async function fileAt(path: unknown): Promise<Buffer | undefined> {
  return typeof path === 'string' ? readFile(path) : undefined;
}

function fetchJson(url: URL, options: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode !== 200) reject(new Error(`${url.pathname} answered ${response.statusCode}.`));
        else resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}
