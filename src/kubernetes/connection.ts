import type { RequestOptions } from 'node:https';
import { FieldwiseError } from '../util/error.js';
import type { KubeConfig } from './kube-config.js';

/** The address of an API server and the credentials for it. */
export interface Connection {
  /** Such as `https://127.0.0.1:6443`, without a trailing slash. */
  readonly server: string;
  /** TLS settings of the kubeconfig: options of Node's `https.Agent`. A program may be compiled without the types of Node. */
  readonly tls: object;
  /** An agent of Node that uses the proxy of the kubeconfig; absent if the kubeconfig names none. */
  readonly proxyAgent?: object;
  /** Returns the headers that authenticate a request. Call it again for later requests, because tokens of exec plugins and OIDC expire. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** The namespace of the context; undefined if the context names none. */
  readonly namespace: string | undefined;
  readonly context: string;
  /** The name of the user in the kubeconfig; absent if there is none. */
  readonly user?: string;
}

export interface ConnectionOptions {
  /** A kubeconfig file, or the text of one, which has several lines. @default `KUBECONFIG`, `~/.kube/config`, then the service account of a pod */
  readonly kubeconfig?: string | undefined;
  readonly kubeContext?: string | undefined;
}

/**
 * Reads a kubeconfig by the rules of Kubernetes' own client.
 *
 * @throws FieldwiseError `kubeconfig-invalid`, `kubeconfig-missing` (usage), `authentication-failed`.
 */
export async function connect(options: ConnectionOptions = {}): Promise<Connection> {
  const config = await readKubeConfig(options);
  requireClusters(config, options);
  if (options.kubeContext) chooseContext(config, options.kubeContext);
  const cluster = reachableCluster(config, options);
  const settings = await authenticate(config, cluster.server);
  const context = config.getContextObject(config.getCurrentContext());
  return {
    server: cluster.server.replace(/(?<!\/)\/+$/, ''),
    tls: settings,
    ...(cluster.proxyUrl && typeof settings.agent === 'object' ? { proxyAgent: settings.agent } : {}),
    headers: async () => headersOf(await authenticate(config, cluster.server)),
    namespace: context?.namespace,
    context: config.getCurrentContext(),
    ...(context?.user ? { user: context.user } : {}),
  };
}

async function readKubeConfig({ kubeconfig }: ConnectionOptions): Promise<KubeConfig> {
  const { KubeConfig } = await import('./kube-config.js');
  const config = new KubeConfig();
  const isText = kubeconfig?.includes('\n') === true;
  try {
    if (kubeconfig && isText) config.loadFromString(kubeconfig);
    else if (kubeconfig) config.loadFromFile(kubeconfig);
    else config.loadFromDefault();
  } catch (cause) {
    throw new FieldwiseError('kubeconfig-invalid', 'usage', `The kubeconfig cannot be read: ${messageOf(cause)}`, {
      location: kubeconfig && !isText ? { file: kubeconfig } : {},
      next: 'Name a readable kubeconfig with --kubeconfig (library: `kubeconfig`) or KUBECONFIG. One in base64 must be decoded first.',
      cause,
    });
  }
  return config;
}

/** @throws FieldwiseError `kubeconfig-invalid` if no cluster is in it. */
function requireClusters(config: KubeConfig, { kubeconfig }: ConnectionOptions): void {
  if (config.getClusters().length > 0) return;
  const isEmpty = config.getContexts().length === 0 && config.getUsers().length === 0;
  const file = kubeconfig?.includes('\n') ? undefined : (kubeconfig ?? process.env.KUBECONFIG);
  throw new FieldwiseError('kubeconfig-invalid', 'usage', `The kubeconfig ${isEmpty ? 'is empty' : 'contains no cluster'}`, {
    location: file ? { file } : {},
    next: isEmpty
      ? 'In CI, the secret or variable with its content is probably not set, or not available to this job. Elsewhere, name another one with --kubeconfig (library: `kubeconfig`) or KUBECONFIG.'
      : 'Add the cluster to it, or name another one with --kubeconfig (library: `kubeconfig`) or KUBECONFIG.',
  });
}

function chooseContext(config: KubeConfig, name: string): void {
  if (!config.getContextObject(name)) {
    const known = config.getContexts().map((context) => context.name);
    throw new FieldwiseError('kubeconfig-invalid', 'usage', `The kubeconfig has no context ${name}`, {
      next: `Name one of its contexts with --kube-context (library: \`context\`): ${known.join(', ') || 'none'}.`,
    });
  }
  config.setCurrentContext(name);
}

/** Returns the cluster of the current context if requests may be sent to it. */
function reachableCluster(config: KubeConfig, { kubeconfig }: ConnectionOptions) {
  const cluster = config.getCurrentCluster();
  if (!kubeconfig && cluster?.server === 'http://localhost:8080') {
    // The library returns this address if it finds no configuration.
    throw new FieldwiseError('kubeconfig-missing', 'usage', 'No kubeconfig was found', {
      next: 'Name one with --kubeconfig (library: `kubeconfig`) or KUBECONFIG, or put it at ~/.kube/config.',
    });
  }
  if (!cluster?.server) {
    throw new FieldwiseError('kubeconfig-invalid', 'usage', 'The kubeconfig names no cluster for its current context', {
      next: 'Choose a context with --kube-context (library: `context`), or set current-context.',
    });
  }
  if (cluster.server.startsWith('http:') && !cluster.skipTLSVerify) {
    throw new FieldwiseError('kubeconfig-invalid', 'usage', 'The kubeconfig names a server without TLS', {
      location: { server: cluster.server },
      next: 'Name an https:// server, or set insecure-skip-tls-verify: true on the cluster to send credentials in the clear.',
    });
  }
  return cluster;
}

/** Returns the TLS settings and headers that authenticate one request. */
async function authenticate(config: KubeConfig, server: string): Promise<RequestOptions> {
  const request: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(request as Parameters<typeof config.applyToHTTPSOptions>[0]);
  } catch (cause) {
    throw credentialsError(server, messageOf(cause), 'Run the login command of your cluster, then try again.', cause);
  }
  const unsendable = Object.entries(headersOf(request)).find(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value));
  if (unsendable === undefined) return request;
  throw credentialsError(
    server,
    `the header ${unsendable[0]} would contain characters that HTTP does not allow, such as a line feed`,
    'Check the token, the output of the exec plugin, or the token file of the current user.',
  );
}

function credentialsError(server: string, what: string, next: string, cause?: unknown): FieldwiseError {
  return new FieldwiseError('authentication-failed', 'authentication', `The credentials of the kubeconfig do not work: ${what}`, {
    location: { server },
    next,
    ...(cause === undefined ? {} : { cause }),
  });
}

function headersOf(request: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (typeof value === 'string') headers[name] = value;
  }
  if (request.auth) headers.Authorization = `Basic ${Buffer.from(request.auth).toString('base64')}`;
  return headers;
}

function messageOf(cause: unknown): string {
  // The message of a parser quotes the output of a plugin, which may be a token.
  if (cause instanceof SyntaxError) return 'the content is not JSON';
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.split('\n')[0] ?? text; // Parsers add an excerpt of the file, which may contain credentials.
}
