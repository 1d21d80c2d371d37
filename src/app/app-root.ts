import { App as Cdk8sApp, type AppProps as Cdk8sAppProps } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { FieldwiseError } from '../util/error.js';
import { appBrand, brandWith, hasBrand } from './brand.js';
import { readEnvironment, type Tracking } from './environment.js';
import { interceptYamlLoad } from './included-yaml.js';
import { type Policy, parsePolicy } from './policy.js';
import { type SourceLines, sourceOf } from './source-position.js';

/** What an app was called before a rename; what is left out has not changed. */
export interface FormerName {
  readonly name?: string | undefined;
  readonly instance?: string | undefined;
}

/** Options of an `App`. cdk8s' own options are accepted; those about its YAML files have no effect. */
export interface AppProps extends Cdk8sAppProps {
  /** Name of the app, part of every field manager. Default: `name` of the configuration file (`FIELDWISE_APP_NAME`). */
  readonly name?: string | undefined;
  /** Deployment of the app, such as `staging`: part of every field manager. Default: that of the configuration, else `default`. */
  readonly instance?: string | undefined;
  /**
   * What the app was called before, or its former name and instance: the next deploy moves what the stacks of that name have in the
   * cluster to this one, without a moment in which a field has no owner. May stay for as long as a cluster may still know the old name.
   */
  readonly renamedFrom?: string | FormerName | undefined;
  /** Policy of all intents; nearer ones (stack, intent, field) win. */
  readonly policy?: Policy | undefined;
  /** Directory of the assembly. The CLI's `--output` wins. Default `dist`. */
  readonly outdir?: string;
}

/**
 * The root of a program without its last step: `App` (src/synth/app.ts) adds `synth()`, because writing an assembly is not the
 * business of this room.
 */
export abstract class AppRoot extends Cdk8sApp {
  /** The app's name; undefined when neither the program nor the configuration gives one, which synth refuses. */
  readonly name: string | undefined;
  readonly instance: string;
  /** What the app was called before a rename. */
  readonly renamedFrom: FormerName;
  /** From the program's nearest to the configuration's. */
  readonly policies: readonly Policy[];
  /** Namespace of stacks that name none. */
  readonly defaultNamespace: string | undefined;
  /** Whether objects no longer declared may be pruned without asking; a stack may say otherwise. */
  readonly prune: boolean;
  /** `annotation`: each object names the stacks that declare it; `tracking` of the configuration. Default `none`. */
  readonly tracking: Tracking;
  protected written = false;
  /** @internal */
  readonly sourceLines: SourceLines = new Map();

  protected constructor(props: AppProps = {}) {
    const environment = readEnvironment();
    const { name = environment.appName, instance = environment.instance ?? 'default', policy, outdir, renamedFrom, ...others } = props;
    checkName('name', name);
    checkName('instance', instance);
    const formerly = typeof renamedFrom === 'object' ? renamedFrom : { name: renamedFrom };
    for (const [member, value] of Object.entries(formerly)) if (value !== undefined) checkName(`renamedFrom.${member}`, value);
    const parsed = policy === undefined ? undefined : parsePolicy(policy, { construct: name ?? 'App', ...sourceOf('App') });
    const directory = environment.outdir ?? outdir;
    super({ ...others, ...(directory === undefined ? {} : { outdir: directory }) });
    this.name = name;
    this.instance = instance;
    this.renamedFrom = formerly;
    this.policies = [parsed, environment.policy].filter((candidate) => candidate !== undefined);
    this.defaultNamespace = environment.namespace;
    this.prune = environment.prune ?? false;
    this.tracking = environment.tracking ?? 'none';
    for (const [key, value] of Object.entries(environment.context)) this.node.setContext(key, value);
    brandWith(this, appBrand);
    registerApp(this);
    interceptYamlLoad();
  }

  /** Whether `synth()` has written the assembly; the CLI writes it where the program did not. */
  get isWritten(): boolean {
    return this.written;
  }

  static isApp(value: unknown): value is AppRoot {
    return hasBrand(value, appBrand);
  }
}

/** The app above a construct, or undefined where its root is none of ours. */
export function appOf(construct: IConstruct): AppRoot | undefined {
  const root = construct.node.root;
  return AppRoot.isApp(root) ? root : undefined;
}

/** Path of a construct as errors and the manifest name it: the app's name, then the path below it. */
export function constructPathOf(construct: IConstruct): string {
  return [appOf(construct)?.name, construct.node.path].filter((part) => part).join('/');
}

function checkName(member: string, value: unknown): void {
  if (value === undefined && member === 'name') return;
  if (typeof value === 'string' && /\S/.test(value)) return;
  throw new FieldwiseError('name-invalid', 'usage', `\`${member}\` of the App must be a non-empty string, not ${JSON.stringify(value)}`);
}

const slot = Symbol.for('fieldwise.apps');

/** Apps of this process in the order of their construction, across installed copies of Fieldwise. */
export function registeredApps(): readonly AppRoot[] {
  return apps();
}

/** Called by the constructor of an app, so that the CLI finds the app of a program that does not call `synth()`. */
export function registerApp(app: AppRoot): void {
  apps().push(app);
}

/** Forgets all apps; the CLI calls it before it runs a program. */
export function clearApps(): void {
  apps().length = 0;
}

function apps(): AppRoot[] {
  const global = globalThis as { [slot]?: AppRoot[] };
  global[slot] ??= [];
  return global[slot];
}
