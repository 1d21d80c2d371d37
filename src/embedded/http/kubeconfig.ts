/** A kubeconfig as text. It is JSON, which is YAML too. */
export function kubeconfigText({ server, token }: { readonly server: string; readonly token: string }): string {
  const name = 'fieldwise-embedded';
  // Credentials over plain HTTP want to be meant; the server listens on the loopback interface only.
  const cluster = { server, 'insecure-skip-tls-verify': true };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
