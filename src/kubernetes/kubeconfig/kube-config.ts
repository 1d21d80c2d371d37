import path from 'node:path';
// Of @kubernetes/client-node, the reader of kubeconfigs and the tokens of two old auth providers. The build bundles only this module: it loads in a fifth of the time of the whole client.
import { findHomeDir, KubeConfig as KubeConfigReader } from '@kubernetes/client-node/dist/config.js';
import { type Cluster, type Context, newClusters, newContexts, newUsers, type User } from '@kubernetes/client-node/dist/config_types.js';
import { loadAll, YAMLException } from 'js-yaml';
import { plainScalar } from '../../util/yaml-scalar.js';
import { yamlSchemaOf } from '../../util/yaml-schema.js';
import { checkEntries, type NamedEntry } from './check-entries.js';

/** A cluster of a kubeconfig, with what the reader leaves out. */
export interface ClusterEntry extends Cluster {
  /** The file that contains it. */
  origin?: string;
  /** The configuration of the cluster for exec plugins. */
  execConfig?: unknown;
}

/** A user of a kubeconfig, with what the reader leaves out. */
export interface UserEntry extends User {
  origin?: string;
  /** The reader looks for `token-file`, which kubeconfigs do not have, and reads it once. */
  tokenFile?: string;
  impersonateUid?: string;
  impersonateGroups?: string[];
  impersonateExtra?: Readonly<Record<string, string[]>>;
}

/** The extension of a cluster that is handed to exec plugins. Source: Kubernetes, client-go, `clientcmd`. */
const execExtension = 'client.authentication.k8s.io/exec';

/**
 * A kubeconfig, read as client-go does. Corrections of the reader:
 * - an empty file is one without entries: KUBECONFIG may name others, too;
 * - of several documents the first counts, of a member that stands twice the last, and `yes` is true, as in YAML 1.1;
 * - texts, lists and base64 are checked, and names are unique in a file, because client-go refuses the file;
 * - an entry without its parts is read, because client-go refuses it only where it is used;
 * - `tokenFile`, `as-uid`, `as-groups`, `as-user-extra` and the extension for exec plugins are read;
 * - relative paths of `tokenFile` and of exec commands are those from the file, too;
 * - of several files, the first that has a name, or a current context, counts; the reader refuses a name twice, and takes the last context.
 */
export class KubeConfig extends KubeConfigReader {
  declare clusters: ClusterEntry[];
  declare users: UserEntry[];

  /** @throws Error if the text is not a kubeconfig. */
  override loadFromString(text: string): void {
    const content = parsedYaml(text) ?? {};
    if (typeof content !== 'object' || Array.isArray(content)) {
      throw new Error(`it is a ${Array.isArray(content) ? 'list' : 'text'}, and not a map with clusters, contexts and users`);
    }
    const { clusters, users, contexts, currentContext } = checkEntries(content as Readonly<Record<string, unknown>>);
    this.clusters = clusters.map(readCluster);
    this.users = users.map(readUser);
    this.contexts = contexts.map(readContext);
    this.currentContext = currentContext;
  }

  override loadFromFile(file: string): void {
    super.loadFromFile(file);
    for (const entry of [...this.clusters, ...this.users]) entry.origin = file;
  }

  override makePathsAbsolute(directory: string): void {
    super.makePathsAbsolute(directory);
    for (const user of this.users) {
      if (user.tokenFile) user.tokenFile = path.resolve(directory, user.tokenFile);
      const { command } = user.exec ?? {};
      if (typeof command === 'string' && /[/\\]/.test(command)) user.exec.command = path.resolve(directory, command); // One without a slash is found by PATH.
    }
  }

  override mergeConfig(config: KubeConfig): void {
    const added = <T extends { readonly name: string }>(own: readonly T[], other: readonly T[]) => [
      ...own,
      ...other.filter(({ name }) => !own.some((one) => one.name === name)),
    ];
    this.clusters = added(this.clusters, config.clusters);
    this.users = added(this.users, config.users);
    this.contexts = added(this.contexts, config.contexts);
    this.currentContext ||= config.currentContext;
  }
}

const schema = yamlSchemaOf(plainScalar);

/**
 * Parses the first document, as client-go parses kubeconfigs and the output of exec plugins. The parser quotes the text, which may contain
 * credentials: the message has only its own words, up to the first quotation, and the position.
 */
export function parsedYaml(text: string): unknown {
  try {
    return loadAll(text, undefined, { json: true, schema })[0];
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    const position = mark === undefined ? '' : ` (${mark.line + 1}:${mark.column + 1})`;
    const [words = ''] = reason.split(/["<]/);
    throw new Error(`${words.trim()}${words === reason ? '' : ' …'}${position}`);
  }
}

/** Returns the home directory, whose `.kube/config` is the default. */
export function homeDirectory(): string | undefined {
  return findHomeDir() ?? undefined;
}

function readCluster(entry: NamedEntry): ClusterEntry {
  const { name, cluster } = entry;
  if (!cluster?.server) return { name, server: '', skipTLSVerify: false };
  const extensions = (cluster.extensions ?? []) as readonly { readonly name?: unknown; readonly extension?: unknown }[];
  const execConfig = extensions.find((one) => one?.name === execExtension)?.extension;
  return {
    ...(newClusters([entry])[0] as Cluster),
    skipTLSVerify: /^(?:true|yes|on|y)$/i.test(String(cluster['insecure-skip-tls-verify'])),
    ...(execConfig === undefined ? {} : { execConfig }),
  };
}

function readUser(entry: NamedEntry): UserEntry {
  const user = entry.user ?? {};
  return {
    ...(newUsers([{ ...entry, user: { ...user, 'token-file': undefined } }])[0] as User),
    ...definedMembers({
      tokenFile: user.tokenFile as string,
      impersonateUid: user['as-uid'] as string,
      impersonateGroups: user['as-groups'] as string[],
      impersonateExtra: user['as-user-extra'] as Record<string, string[]>,
    }),
  };
}

function readContext(entry: NamedEntry): Context {
  const { name, context } = entry;
  return context?.cluster ? (newContexts([entry])[0] as Context) : { name, cluster: '', user: '' };
}

function definedMembers<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null)) as Partial<T>;
}
