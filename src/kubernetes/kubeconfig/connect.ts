import { FieldwiseError } from '../../util/error.js';
import { type Machine, thisMachine } from '../../util/machine.js';
import type { Connection, ConnectionFacts, Headers } from '../connection.js';
import type { Authenticator } from './credential.js';
import { credentialSource } from './credentials.js';
import { credentialsError } from './credentials-error.js';
import { impersonationHeaders } from './impersonation.js';
import { isSendable } from './is-sendable.js';
import { environmentProxy, exemptionOf, isLoopback, type ProxyServer, parsedProxy, shownProxy, shownUrl, urlAsInGo } from './proxy.js';
import { readKubeConfig } from './read-kubeconfig.js';
import { type KubeConfigLists, type SelectedContext, selectContext } from './select-context.js';
import { ServerAgent } from './server-agent.js';
import { ServerTls } from './server-tls.js';

export interface ConnectionOptions {
  /**
   * A kubeconfig file, the text of one, which has several lines, or a `KubeConfig` of @kubernetes/client-node.
   *
   * @default `KUBECONFIG`, `~/.kube/config`, then the service account of a pod
   */
  readonly kubeconfig?: string | object | undefined;
  readonly kubeContext?: string | undefined;
  /** The machine whose clocks tell when credentials expire. @default `thisMachine` */
  readonly machine?: Machine;
}

/**
 * Reads a kubeconfig as kubectl does, and returns what every request, watch and import needs of it.
 *
 * @throws FieldwiseError `kubeconfig-invalid`, `kubeconfig-missing` (usage), `authentication-failed`.
 */
export async function connect({ kubeconfig, kubeContext, machine = thisMachine }: ConnectionOptions = {}): Promise<Connection> {
  const config = typeof kubeconfig === 'object' ? kubeconfig : await readKubeConfig(kubeconfig);
  const selected = selectContext(config as KubeConfigLists, kubeContext);
  const url = serverUrl(selected);
  const server = url.href.replace(/(?<!\/)\/+$/, '');
  const proxy = proxyOf(selected, url);
  if (url.protocol === 'http:') refuseClearText(selected, url, proxy);
  const tls = url.protocol === 'https:' ? new ServerTls(selected, machine) : undefined;
  // client-go sends credentials without TLS to nobody. Those of an embedded server have the flag.
  const isAnonymous = tls === undefined && !selected.cluster.skipTLSVerify;
  const source = isAnonymous ? undefined : await credentialSource({ selected, server, machine, authenticators: authenticatorsOf(config) });
  const impersonation = impersonationHeaders(selected.user);

  const headers = async (): Promise<Headers> => {
    tls?.refresh();
    const { authorization, certificate } = (await source?.current()) ?? {};
    tls?.usePluginCertificate(certificate);
    return checked({ ...(authorization === undefined ? {} : { Authorization: authorization }), ...impersonation }, selected, server);
  };
  await headers(); // Reports credentials that cannot be had before a command does anything.
  return {
    server,
    tls: {},
    ...(tls === undefined ? {} : { agent: (options) => new ServerAgent(options, tls, proxy), trustMore: () => tls.trustSystem() }),
    headers,
    ...(source?.renew === undefined ? {} : { renew: async ({ Authorization }) => source.renew?.(Authorization as string) ?? false }),
    facts: factsOf(selected, url, proxy),
    namespace: selected.namespace,
    context: selected.name,
    ...(selected.userName === undefined ? {} : { user: selected.userName }),
  };
}

/** Those of a program come after those of the client, as in the client. */
function authenticatorsOf(config: object): readonly Authenticator[] {
  const { authenticators = [], custom_authenticators: custom = [] } = config as Readonly<
    Record<string, readonly Authenticator[] | undefined>
  >;
  return [...authenticators, ...custom];
}

function serverUrl({ cluster }: SelectedContext): URL {
  const { server, name, origin } = cluster;
  const url = /^https?:\/\//i.test(server) ? urlAsInGo(server) : undefined;
  if (url === undefined) {
    throw new FieldwiseError(
      'kubeconfig-invalid',
      'usage',
      `The server of the cluster ${name} of the kubeconfig is not a URL: ${shownUrl(server)}`,
      {
        location: origin === undefined ? {} : { file: origin },
        next: 'Write it as https://HOST:PORT.',
      },
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new FieldwiseError(
      'kubeconfig-invalid',
      'usage',
      `The server of the cluster ${name} of the kubeconfig contains a user or a password`,
      {
        location: origin === undefined ? {} : { file: origin },
        next: 'Write them as username and password of the user: each message names the server.',
      },
    );
  }
  url.search = '';
  url.hash = '';
  return url;
}

function proxyOf({ cluster }: SelectedContext, url: URL): ProxyServer | undefined {
  if (!cluster.proxyUrl) return environmentProxy(url);
  const source = `proxy-url of the cluster ${cluster.name}`;
  return { url: parsedProxy(cluster.proxyUrl, source), source };
}

function refuseClearText({ cluster }: SelectedContext, url: URL, proxy: ProxyServer | undefined): void {
  const isAllowed = cluster.skipTLSVerify || isLoopback(url.hostname);
  if (isAllowed && proxy === undefined) return;
  const through = proxy === undefined ? '' : `, and ${proxy.source} a proxy, ${shownProxy(proxy)}, which would read every object`;
  const optIn = ', or set insecure-skip-tls-verify: true on the cluster to send credentials in the clear';
  throw new FieldwiseError('kubeconfig-invalid', 'usage', `The kubeconfig names a server without TLS${through}`, {
    location: { ...(cluster.origin === undefined ? {} : { file: cluster.origin }), server: url.origin },
    next: `Name an https:// server${proxy === undefined ? optIn : `, or add ${url.hostname} to NO_PROXY`}.`,
  });
}

function factsOf({ cluster }: SelectedContext, url: URL, proxy: ProxyServer | undefined): ConnectionFacts {
  const { name, origin, caFile, caData } = cluster;
  const isSet = Boolean(process.env.HTTPS_PROXY || process.env.https_proxy);
  const exemption = proxy === undefined && isSet ? exemptionOf(url) : undefined;
  return {
    cluster: name,
    ...(origin === undefined ? {} : { file: origin }),
    ...(proxy === undefined ? {} : { proxy: shownProxy(proxy), proxySource: proxy.source }),
    ...(exemption === undefined ? {} : { exemption }),
    hasAuthority: Boolean(caFile || caData),
  };
}

function checked(headers: Headers, selected: SelectedContext, server: string): Headers {
  const unsendable = Object.entries(headers).find(([, value]) => [value].flat().every(isSendable) === false);
  if (unsendable === undefined) return headers;
  throw credentialsError(
    { selected, server },
    `the header ${unsendable[0]} would contain characters that HTTP does not allow, such as a line feed`,
    'Check the token, the output of the exec plugin, or the token file of the current user.',
  );
}
