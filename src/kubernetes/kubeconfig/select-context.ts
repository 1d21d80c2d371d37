import { closeSync, openSync } from 'node:fs';
import { FieldwiseError } from '../../util/error.js';
import type { ClusterEntry, UserEntry } from './kube-config.js';

/** The lists of a kubeconfig: a `KubeConfig` of @kubernetes/client-node has them, too. */
export interface KubeConfigLists {
  readonly clusters: readonly ClusterEntry[];
  readonly users: readonly UserEntry[];
  readonly contexts: readonly { readonly name: string; readonly cluster: string; readonly user: string; readonly namespace?: string }[];
  readonly currentContext: string;
}

/** A context with its cluster and user. */
export interface SelectedContext {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly cluster: ClusterEntry;
  /** The user of the context; one without credentials if the kubeconfig does not contain it, as for kubectl. */
  readonly user: UserEntry;
  /** The name of the user in the context; absent if it names none. */
  readonly userName?: string;
}

/**
 * Selects a context, by default the current one, and checks its cluster and user as kubectl does.
 *
 * @throws FieldwiseError `kubeconfig-invalid`.
 */
export function selectContext(config: KubeConfigLists, name: string | undefined): SelectedContext {
  const selected = name || config.currentContext;
  const context = config.contexts.find((one) => one.name === selected);
  if (context === undefined && name) {
    const known = config.contexts.map((one) => one.name);
    throw invalid(`The kubeconfig has no context ${name}`, {
      next: `Name one of its contexts with --kube-context (library: \`context\`): ${known.join(', ') || 'none'}.`,
    });
  }
  const cluster = config.clusters.find((one) => one.name === context?.cluster);
  if (context === undefined || cluster === undefined) {
    const missing = context?.cluster ? `: the cluster ${context.cluster} of the context ${selected} is not in it` : '';
    throw invalid(`The kubeconfig names no cluster for its current context${missing}`, {
      next: 'Choose a context with --kube-context (library: `context`), or set current-context.',
    });
  }
  const user = config.users.find((one) => one.name === context.user) ?? { name: context.user ?? '' };
  const problem = [...problemsOfCluster(cluster), ...problemsOfUser(user)][0];
  if (problem !== undefined) {
    const { origin } = problem.kind === 'cluster' ? cluster : user;
    throw invalid(`The ${problem.kind} ${problem.kind === 'cluster' ? cluster.name : user.name} of the kubeconfig ${problem.what}`, {
      location: origin === undefined ? {} : { file: origin },
      next: problem.next,
    });
  }
  return { name: selected, namespace: context.namespace, cluster, user, ...(context.user ? { userName: context.user } : {}) };
}

interface Problem {
  readonly kind: 'cluster' | 'user';
  readonly what: string;
  readonly next: string;
}

/** Source: Kubernetes, client-go, `clientcmd` validation of clusters; `transport` for a CA beside the flag. */
function* problemsOfCluster(cluster: ClusterEntry): Generator<Problem> {
  const kind = 'cluster';
  const { server, caFile, caData, skipTLSVerify, proxyUrl } = cluster;
  if (!server) yield { kind, what: 'has no server', next: 'Add its address as `server`, such as https://10.0.0.1:6443.' };
  if (caFile && caData) {
    yield { kind, what: 'has both certificate-authority and certificate-authority-data', next: 'Remove one of them.' };
  }
  if ((caFile || caData) && skipTLSVerify) {
    const what = 'has a certificate authority and insecure-skip-tls-verify: true, which contradict each other';
    yield { kind, what, next: 'Remove insecure-skip-tls-verify, so that the certificate of the server is verified.' };
  }
  if (proxyUrl && !/^(https?|socks5h?):\/\/./i.test(proxyUrl)) {
    yield { kind, what: 'has a proxy-url that is neither http://, https:// nor socks5://', next: 'Write it as http://HOST:PORT.' };
  }
  yield* unreadable(kind, { 'certificate-authority': caFile });
}

/** Source: Kubernetes, client-go, `clientcmd` validation of users. */
function* problemsOfUser(user: UserEntry): Generator<Problem> {
  const kind = 'user';
  const { certFile, certData, keyFile, keyData, token, username, password, authProvider } = user;
  for (const [name, file, data] of [
    ['client-certificate', certFile, certData],
    ['client-key', keyFile, keyData],
  ] as const) {
    if (file && data && (certFile || certData)) yield { kind, what: `has both ${name} and ${name}-data`, next: 'Remove one of them.' };
  }
  if ((certFile || certData) && !keyFile && !keyData) {
    yield { kind, what: 'has a client certificate without client-key or client-key-data', next: 'Add the key of the certificate.' };
  }
  if (token && (username || password)) {
    yield { kind, what: 'has a token as well as username and password', next: 'Keep one of them.' };
  }
  const { impersonateUid, impersonateGroups, impersonateExtra } = user;
  const attributes = [impersonateUid, ...(impersonateGroups ?? []), ...Object.keys(impersonateExtra ?? {})];
  if (!user.impersonateUser && attributes.some(Boolean)) {
    yield { kind, what: 'has as-uid, as-groups or as-user-extra without as', next: 'Name the user to impersonate as `as`.' };
  }
  if (user.exec) yield* problemsOfExec(user.exec as ExecEntry, authProvider);
  yield* unreadable(kind, { 'client-certificate': certFile, ...(certFile || certData ? { 'client-key': keyFile } : {}) });
}

/** The `exec` of a user. */
export interface ExecEntry {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name?: string; readonly value?: string }[] | null;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: string;
}

const execVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

function* problemsOfExec(exec: ExecEntry, authProvider: unknown): Generator<Problem> {
  const kind = 'user';
  const next = 'Write it as the command that made the kubeconfig does in its current version.';
  if (authProvider) yield { kind, what: 'has both exec and auth-provider', next: 'Remove one of them.' };
  if (!exec.command) yield { kind, what: 'has an exec without command', next };
  if (!exec.apiVersion) yield { kind, what: 'has an exec without apiVersion', next };
  else if (!execVersions.includes(exec.apiVersion)) {
    const what = `has an exec with apiVersion ${exec.apiVersion}, which kubectl has not understood since version 1.24`;
    yield { kind, what: /v1alpha1$/.test(exec.apiVersion) ? what : `has an exec with the unknown apiVersion ${exec.apiVersion}`, next };
  }
  if (exec.env?.some(({ name }) => !name)) yield { kind, what: 'has an exec with a variable that has no name', next };
  if (!['Never', 'IfAvailable', 'Always'].includes(interactiveModeOf(exec))) {
    const what = exec.interactiveMode ? `the unknown interactiveMode ${exec.interactiveMode}` : 'no interactiveMode';
    yield { kind, what: `has an exec with ${what}`, next: 'Set interactiveMode to Never, IfAvailable or Always.' };
  }
}

/** Returns the mode of an exec plugin, which has a default in its first version only. */
export function interactiveModeOf({ interactiveMode, apiVersion }: ExecEntry): string {
  return interactiveMode || (apiVersion === execVersions[1] ? 'IfAvailable' : '');
}

function* unreadable(kind: Problem['kind'], files: Readonly<Record<string, string | undefined>>): Generator<Problem> {
  for (const [key, file] of Object.entries(files)) {
    if (!file) continue;
    try {
      closeSync(openSync(file, 'r'));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const what = `names the file ${file} as ${key}, which ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}`;
      yield { kind, what, next: 'A relative path is looked for from the directory of the kubeconfig.' };
    }
  }
}

function invalid(what: string, options: { readonly location?: { readonly file?: string }; readonly next: string }): FieldwiseError {
  return new FieldwiseError('kubeconfig-invalid', 'usage', what, options);
}
