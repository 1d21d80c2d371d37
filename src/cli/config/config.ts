import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { environmentNames, readEnvironment } from '../../app/environment.js';
import type { Policy } from '../../app/settings/policy.js';
import { defaultKeep, defaultMaxBytes, type HistoryLimits } from '../../engine/history/revision.js';
import type { Reconcile } from '../../engine/run/options.js';
import { FieldwiseError } from '../../util/error.js';
import { type ChosenEnvironment, chooseEnvironment, environmentNames as namesOfEnvironments } from './choose-environment.js';
import { type ClusterPin, clusterPinOf } from './cluster-pin.js';
import type { ConfigFile } from './config-schema.js';
import type { DocumentFlags, DocumentSource } from './document-source.js';
import { contextPointer } from './pointers.js';

export const configFileName = 'fieldwise.yaml';

/** The configuration of a command: all layers merged, with defaults. */
export interface Config {
  /** The program: the absolute path of a file or of a finished assembly, or a command line. Absent if none is configured. */
  readonly app?: string;
  /**
   * Absolute path of the directory of the assembly.
   *
   * @default `dist` beside the configuration file, and in it a directory for the chosen environment
   */
  readonly output: string;
  /** Sources of generated builders, exactly as written, because they are keys of the lock file. */
  readonly imports: readonly string[];
  /** List types that override those of the imported CRDs, such as `Gateway:.spec.listeners=map[port]`. */
  readonly listTypes: readonly string[];
  /** Name of the app, for programs that do not set it. */
  readonly name?: string;
  /** Instance of the app, for programs that do not set it. */
  readonly instance?: string;
  /** The id of the program; absent if none is configured. */
  readonly id?: string;
  /** The chosen environment; absent if none is chosen. */
  readonly environment?: string;
  /** The names of all configured environments. */
  readonly environments: readonly string[];
  /** The instance that the user asked for in this run or for the environment, which a program must not ignore. */
  readonly requestedInstance?: string;
  /** Keys of the chosen environment that an environment variable replaces, such as `kubeContext`. */
  readonly overridden: readonly string[];
  /** The pins of environments to clusters; absent if no environment is pinned. */
  readonly pin?: ClusterPin;
  /** Context values, which the program reads with `app.node.tryGetContext(key)`. */
  readonly context: Readonly<Record<string, unknown>>;
  /** The embedded API server; absent for the cluster of the kubeconfig. */
  readonly cluster?: 'embedded';
  /** Context of the kubeconfig. */
  readonly kubeContext?: string;
  /** Absolute path of the kubeconfig. */
  readonly kubeconfig?: string;
  /** Namespace of stacks that name none. */
  readonly namespace?: string;
  /** Policy of all intents; the policy of a stack, an intent or a field wins over it. */
  readonly policy: Policy;
  /**
   * True to prune objects that are no longer declared without asking.
   *
   * @default false
   */
  readonly prune: boolean;
  /**
   * `annotation`: each object names the stacks that declare it, in an annotation of each stack.
   *
   * @default 'none'
   */
  readonly tracking: 'annotation' | 'none';
  /**
   * `full`: a deploy sends every intent; `changed`: it skips intents that a LIST proves unchanged; `auto`: it skips them where no webhook,
   * admission policy or quota would see them.
   *
   * @default 'auto'
   */
  readonly reconcile: Reconcile;
  /**
   * The seconds after which a program that is not over is an error.
   *
   * @default 600
   */
  readonly programTimeout: number;
  /** Patterns of the names of stacks that programs of their own declare. */
  readonly independent: readonly string[];
  readonly inventory: {
    /**
     * Namespace of the inventories.
     *
     * @default 'fieldwise-system'
     */
    readonly namespace: string;
  };
  /** Who may change the fields of the stacks, for `fieldwise guard`. */
  readonly guard: NonNullable<ConfigFile['guard']>;
  /** Where Argo CD or Flux finds the documents of `synth --for`. */
  readonly gitops: NonNullable<ConfigFile['gitops']>;
  /** The limits of the revisions that deploys record; false to record none. */
  readonly history: Required<HistoryLimits> | false;
  /** Absolute path of the module whose rules judge plans; absent if there are none. */
  readonly rules?: string;
  /** Absolute path of the documents with admission policies that decide on plans; absent if there are none. */
  readonly admission?: string;
  /** The position of `admission` where the file has it under its former name, `policies`. */
  readonly policiesAt?: string;
  /** The configuration file of the project as the user named it; absent if it does not exist. */
  readonly file?: string;
  /** Absolute path of the project, the working directory of programs: the directory of the configuration file. */
  readonly directory: string;
  /** Documents to use instead of the program. */
  readonly documents?: DocumentSource;
}

/** Values of flags; for an absent one, the next layer decides. */
export interface ConfigFlags extends DocumentFlags {
  /** Configuration file instead of `fieldwise.yaml` in the working directory. */
  readonly config?: string | undefined;
  /** The name of an environment. */
  readonly env?: string | undefined;
  readonly app?: string | undefined;
  readonly outdir?: string | undefined;
  readonly name?: string | undefined;
  readonly instance?: string | undefined;
  /** `KEY=VALUE` each. */
  readonly context?: readonly string[] | undefined;
  /** `embedded`; any other name is an error. */
  readonly cluster?: string | undefined;
  readonly kubeContext?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly namespace?: string | undefined;
  readonly policy?: Policy | undefined;
  readonly prune?: boolean | undefined;
  readonly reconcile?: string | undefined;
  readonly inventoryNamespace?: string | undefined;
  readonly rules?: string | undefined;
  readonly admission?: string | undefined;
  /** Flags of commands that have no effect with documents. */
  readonly pruneStacks?: boolean | undefined;
}

export interface ConfigSources {
  readonly cwd: string;
  readonly flags?: ConfigFlags;
  readonly env: NodeJS.ProcessEnv;
  /** True for a command that never works on the embedded API server, whatever the configuration says. */
  readonly needsKubeconfig?: boolean;
}

/**
 * Merges flags, environment variables (`FIELDWISE_*`), the project's `fieldwise.yaml` and the user's `~/.config/fieldwise/config.yaml`; the
 * first that sets a value wins. In each file, the chosen environment wins over the top. `context`, `policy`, `inventory`, `guard` and `gitops` are
 * merged member by member. Relative paths of the project's file are relative to its directory, all others to the working directory.
 *
 * @throws FieldwiseError `config-invalid` with file, line and column; `config-not-found`; `environment-invalid`; `environment-unknown`;
 *   `policy-invalid`; and those of `documentSourceOf`.
 */
export async function loadConfig({ cwd, flags = {}, env, needsKubeconfig = false }: ConfigSources): Promise<Config> {
  const file = flags.config ?? (env.FIELDWISE_CONFIG || undefined) ?? configFileName;
  const absolute = path.resolve(cwd, file);
  requireConfigFile(file, absolute);
  const [directory, homePath] = [path.dirname(absolute), homeFile(env)];
  const [project, home] = [await readConfigFile(absolute, file), homePath === absolute ? {} : await readConfigFile(homePath, homePath)];
  const chosen = chooseEnvironment({ flag: flags.env, variable: env.FIELDWISE_ENV || undefined, project, home, file });
  const [given, variables] = [located(flagLayer(flags), cwd), located(environmentLayer(env), cwd)];
  const layers = [given, variables, ...fileLayers({ project, home, chosen, directory, cwd })];
  const first = <Name extends keyof ConfigFile>(name: Name) => layers.find((layer) => layer[name] !== undefined)?.[name];
  const merged = <Name extends 'context' | 'policy' | 'inventory' | 'guard' | 'gitops'>(name: Name) =>
    Object.assign({}, ...layers.map((layer) => layer[name]).reverse()) as NonNullable<ConfigFile[Name]>;
  const byPath = (name: 'fields' | 'listKeys') => {
    const paths = Object.assign({}, ...layers.map((layer) => layer.policy?.[name]).reverse());
    return Object.keys(paths).length > 0 ? { [name]: paths } : {};
  };
  const environments = namesOfEnvironments({ project, home });
  if (!needsKubeconfig) refuseUselessFlags(flags, variables, first('cluster'), given.cluster ?? variables.cluster, chosen?.name);
  // Without an environment, an instance must not replace the outputs of the environments.
  const subdirectory = chosen?.name ?? (environments.length === 0 ? '' : `instance-${encodeURIComponent(first('instance') ?? '')}`);
  const documents = await documentsOf(flags, first('app'));
  return Object.freeze({
    ...present({
      app: first('app'),
      name: first('name') ?? documents?.appName,
      instance: first('instance'),
      id: first('id'),
      cluster: first('cluster'),
      kubeContext: first('kubeContext'),
      kubeconfig: first('kubeconfig'),
      namespace: first('namespace'),
      rules: first('rules'),
      admission: first('admission'),
      policiesAt: first('policiesAt'),
      file: existsSync(absolute) ? file : undefined,
      environment: chosen?.name,
      requestedInstance: given.instance ?? variables.instance ?? chosen?.project.instance,
      pin: pinOf([project, home], chosen, first('cluster')),
      documents: documents?.source,
    }),
    environments,
    overridden: chosen === undefined ? [] : overriddenKeys(given, variables, located(chosen.project, directory)),
    output: given.output ?? variables.output ?? path.join(first('output') ?? path.join(directory, 'dist'), subdirectory),
    imports: first('imports') ?? [],
    listTypes: first('listTypes') ?? [],
    context: merged('context'),
    policy: { ...merged('policy'), ...byPath('fields'), ...byPath('listKeys') },
    prune: first('prune') ?? false,
    tracking: first('tracking') ?? 'none',
    programTimeout: first('programTimeout') ?? 600,
    reconcile: first('reconcile') ?? 'auto',
    independent: first('independent') ?? [],
    inventory: { namespace: merged('inventory').namespace ?? 'fieldwise-system' },
    guard: merged('guard'),
    gitops: merged('gitops'),
    history: historyOf(first('history')),
    directory,
  });
}

/** Returns the pins of environments. The embedded server is never the cluster of an environment that does not say so. */
function pinOf(
  files: readonly ConfigFile[],
  chosen: ChosenEnvironment | undefined,
  cluster: ConfigFile['cluster'],
): ClusterPin | undefined {
  return cluster === 'embedded' && chosen?.project.cluster === undefined ? undefined : clusterPinOf(files, chosen?.name);
}

/** @throws FieldwiseError `flag-without-use` if a flag, or a variable of its own, selects another cluster than the embedded one, which the environment or the configuration selects. */
function refuseUselessFlags(
  { kubeconfig, kubeContext }: ConfigFlags,
  variables: ConfigFile,
  cluster: ConfigFile['cluster'],
  given: ConfigFile['cluster'],
  environment: string | undefined,
): void {
  const [flag] = [
    ...(kubeconfig === undefined ? [] : ['--kubeconfig']),
    ...(kubeContext === undefined ? [] : ['--kube-context']),
    ...(variables.kubeconfig === undefined ? [] : ['FIELDWISE_KUBECONFIG']),
    ...(variables.kubeContext === undefined ? [] : ['FIELDWISE_KUBE_CONTEXT']),
  ];
  if (cluster !== 'embedded' || flag === undefined) return;
  const by = given === 'embedded' ? 'the command' : environment === undefined ? 'the configuration' : `the environment ${environment}`;
  throw new FieldwiseError(
    'flag-without-use',
    'usage',
    `${by.charAt(0).toUpperCase()}${by.slice(1)} selects the embedded API server, so \`${flag}\` selects nothing`,
    {
      next:
        given === 'embedded'
          ? 'Leave out one of them.'
          : `Leave \`${flag}\` out, or choose an environment without \`cluster: embedded\` by \`-e\`.`,
    },
  );
}

/** @throws FieldwiseError `config-not-found` if a file that the user named does not exist. */
function requireConfigFile(file: string, absolute: string): void {
  if (file === configFileName || existsSync(absolute)) return;
  throw new FieldwiseError('config-not-found', 'usage', 'The configuration file does not exist', { location: { file } });
}

function historyOf(history: ConfigFile['history']): Config['history'] {
  return history === false ? false : { keep: defaultKeep, maxBytes: defaultMaxBytes, ...history };
}

/** Returns the layers of the files, the first of which wins; the instance of an environment without one is its name. */
function fileLayers(files: {
  readonly project: ConfigFile;
  readonly home: ConfigFile;
  readonly chosen: ChosenEnvironment | undefined;
  readonly directory: string;
  readonly cwd: string;
}): readonly ConfigFile[] {
  const { project, home, chosen, directory, cwd } = files;
  const { kubeContext, kubeconfig, cluster } = chosen?.project ?? {};
  // An environment of a kubeconfig is not on the embedded server, even if the project otherwise is.
  const choosesKubeconfig = cluster === undefined && (kubeContext !== undefined || kubeconfig !== undefined);
  const inherited = ({ cluster: above, ...layer }: ConfigFile): ConfigFile =>
    choosesKubeconfig || above === undefined ? layer : { ...layer, cluster: above };
  return [
    located(chosen?.project ?? {}, directory),
    located(inherited(project), directory),
    located(inherited(chosen?.home ?? {}), cwd),
    chosen ? { instance: chosen.name } : {},
    located(inherited(home), cwd),
  ];
}

/** Returns the keys of an environment that an environment variable replaces with another value, and no flag decides. */
function overriddenKeys(given: ConfigFile, variables: ConfigFile, environment: ConfigFile): readonly string[] {
  const keys = ['instance', 'cluster', 'kubeContext', 'kubeconfig', 'namespace'] as const;
  return keys.filter((key) => {
    const configured = environment[key];
    return configured !== undefined && given[key] === undefined && variables[key] !== undefined && variables[key] !== configured;
  });
}

/** Returns the documents that flags name, and the name of their app. */
async function documentsOf(flags: ConfigFlags, program: string | undefined) {
  const { file, stack, own, share, helmHooks } = flags;
  if ([file, stack, own, share, helmHooks].every((flag) => flag === undefined)) return undefined;
  const { defaultAppName, documentSourceOf } = await import('./document-source.js');
  const source = documentSourceOf(flags, program);
  return source && { source, appName: defaultAppName };
}

/** Returns the path of the user's configuration file. */
export function homeFile(env: NodeJS.ProcessEnv): string {
  return path.join(env.XDG_CONFIG_HOME || path.join(env.HOME || homedir(), '.config'), 'fieldwise', 'config.yaml');
}

async function readConfigFile(absolute: string, named: string): Promise<ConfigFile> {
  if (!existsSync(absolute)) return {};
  const [{ parseConfigFile }, text] = await Promise.all([import('./config-schema.js'), readFile(absolute, 'utf8')]);
  return parseConfigFile(text, named);
}

function flagLayer({ context, inventoryNamespace, cluster, reconcile, outdir, config: _, env: __, ...flags }: ConfigFlags): ConfigFile {
  const pairs = (context ?? []).map((pair) => {
    const at = pair.indexOf('=');
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)] as const;
    throw new FieldwiseError('flag-invalid', 'usage', `\`--context ${pair}\` is not KEY=VALUE`, { next: contextPointer });
  });
  return {
    ...present({
      ...flags,
      cluster: clusterName(cluster, '--cluster'),
      reconcile: reconcileName(reconcile, '--reconcile'),
      app: flags.app || undefined,
      output: outdir || undefined,
    }),
    ...(pairs.length > 0 ? { context: Object.fromEntries(pairs) } : {}),
    ...(inventoryNamespace === undefined ? {} : { inventory: { namespace: inventoryNamespace } }),
  };
}

function clusterName(name: string | undefined, source: string): 'embedded' | undefined {
  if (name === undefined || name === 'embedded') return name;
  throw new FieldwiseError(codeOf(source), 'usage', `\`${source} ${name}\` does not name a cluster`, {
    next: 'Use `embedded`, or select a cluster with --kubeconfig and --kube-context.',
  });
}

function reconcileName(name: string | undefined, source: string): Reconcile | undefined {
  if (name === undefined || name === 'auto' || name === 'changed' || name === 'full') return name;
  throw new FieldwiseError(codeOf(source), 'usage', `\`${source} ${name}\` is not auto, changed or full`, {
    next: 'full sends every intent; changed skips intents that a LIST proves unchanged; auto skips them where admission would not see them.',
  });
}

function codeOf(source: string): 'flag-invalid' | 'environment-invalid' {
  return source.startsWith('--') ? 'flag-invalid' : 'environment-invalid';
}

function environmentLayer(env: NodeJS.ProcessEnv): ConfigFile {
  const { appName, instance, id, outdir, namespace, policy, prune, tracking, context } = readEnvironment(env);
  const inventory = env.FIELDWISE_INVENTORY_NAMESPACE;
  return {
    ...present({
      app: env.FIELDWISE_APP || undefined,
      output: env.FIELDWISE_OUTPUT || outdir,
      name: appName,
      instance,
      id,
      cluster: clusterName(env.FIELDWISE_CLUSTER || undefined, 'FIELDWISE_CLUSTER'),
      reconcile: reconcileName(env.FIELDWISE_RECONCILE || undefined, 'FIELDWISE_RECONCILE'),
      kubeContext: env.FIELDWISE_KUBE_CONTEXT || undefined,
      kubeconfig: env.FIELDWISE_KUBECONFIG || undefined,
      namespace,
      policy,
      prune,
      tracking,
    }),
    ...(env[environmentNames.context] ? { context } : {}),
    ...(inventory ? { inventory: { namespace: inventory } } : {}),
  };
}

/** Returns a layer with absolute paths. `app` is a path only if a file or directory of that name exists. */
function located(layer: ConfigFile, base: string): ConfigFile {
  const ifExists = (text: string) => (existsSync(path.resolve(base, text)) ? path.resolve(base, text) : text);
  return {
    ...layer,
    ...present({
      app: layer.app === undefined ? undefined : ifExists(layer.app),
      output: layer.output === undefined ? undefined : path.resolve(base, layer.output),
      kubeconfig: layer.kubeconfig === undefined ? undefined : path.resolve(base, layer.kubeconfig),
      rules: layer.rules === undefined ? undefined : path.resolve(base, layer.rules),
      admission: layer.admission === undefined ? undefined : path.resolve(base, layer.admission),
    }),
  };
}

type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

function present<Members extends object>(members: Members): Present<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<Members>;
}
