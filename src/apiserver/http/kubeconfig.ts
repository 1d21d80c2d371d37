/** The address and credentials of a server. */
export interface KubeconfigAccess {
  readonly url: string;
  readonly token: string;
  /** Certificate of the server as PEM; absent for plain HTTP. */
  readonly ca?: string | undefined;
  /** The name of the context, and of its cluster and user. @default 'fieldwise-embedded' */
  readonly name?: string | undefined;
}

/** Returns a kubeconfig as JSON, which is also YAML. */
export function kubeconfigText({ url, token, ca, name = 'fieldwise-embedded' }: KubeconfigAccess): string {
  // Clients send credentials over plain HTTP only with this flag; the server listens on the loopback interface only.
  const trust =
    ca === undefined ? { 'insecure-skip-tls-verify': true } : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, ...trust } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
