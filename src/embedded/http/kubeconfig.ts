/** Where a server listens, and what it takes to be let in. */
export interface KubeconfigAccess {
  readonly url: string;
  readonly token: string;
  /** Certificate of the server as PEM; absent for plain HTTP. */
  readonly ca?: string | undefined;
}

/** A kubeconfig as text. It is JSON, which is YAML too. */
export function kubeconfigText({ url, token, ca }: KubeconfigAccess): string {
  const name = 'fieldwise-embedded';
  // Credentials over plain HTTP want to be meant; the server listens on the loopback interface only.
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
