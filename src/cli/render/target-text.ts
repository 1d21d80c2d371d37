/** The cluster that a command is about to change, and what chose it. */
export interface Target {
  /** An address, such as `https://10.0.0.1:6443`. */
  readonly server: string;
  readonly environment?: string | undefined;
  readonly kubeContext?: string | undefined;
}

/** Names the cluster, its environment and its context: `https://10.0.0.1:6443 (environment prod, context prod)`. */
export function targetText({ server, environment, kubeContext }: Target): string {
  const chosen = [
    ...(environment === undefined ? [] : [`environment ${environment}`]),
    ...(kubeContext === undefined ? [] : [`context ${kubeContext}`]),
  ];
  return chosen.length === 0 ? server : `${server} (${chosen.join(', ')})`;
}
