import { App as Cdk8sApp, type AppProps as Cdk8sAppProps } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { type ErrorLocation, FieldwiseError } from '../util/error.js';
import { hasBrand } from '../util/has-brand.js';
import { appBrand, brandWith } from './brand.js';
import { type ContextReads, trackContext } from './context-reads.js';
import { environmentNames, readEnvironment, type Tracking } from './environment.js';
import { interceptYamlLoad } from './included-yaml.js';
import { projectName } from './project-name.js';
import { registerApp } from './registered-apps.js';
import { parsePolicy } from './settings/parse-policy.js';
import type { Policy } from './settings/policy.js';
import { SourceCache, sourceOf } from './source-position.js';
import { watchExit } from './watch-exit.js';
import { watchRoots } from './watch-roots.js';

// At load, because a program that the command line runs as a command may create an App of cdk8s before ours.
if (process.env[environmentNames.outdir] !== undefined) {
  watchRoots();
  watchExit();
}

/** The former name of an app, of its instance, or of both; an absent member has not changed. */
export interface FormerName {
  readonly name?: string | undefined;
  readonly instance?: string | undefined;
}

/** Options of an `App`. The options of a cdk8s App are accepted; those about its YAML files have no effect. */
export interface AppProps extends Cdk8sAppProps {
  /**
   * Name of the app, part of every field manager.
   *
   * @default `name` of the configuration file (`FIELDWISE_APP_NAME`); where no command of Fieldwise runs the program, else that of package.json
   */
  readonly name?: string | undefined;
  /**
   * Name of this installation of the app, such as `staging`; part of every field manager.
   *
   * @default `instance` of the configuration file (`FIELDWISE_INSTANCE`), else `default`
   */
  readonly instance?: string | undefined;
  /**
   * Former name of the app, or its former name and instance. The next deploy transfers the objects and fields of the former stacks to the
   * stacks of this app; every field has an owner at every moment. Keep it as long as any cluster may still have the former name.
   */
  readonly renamedFrom?: string | FormerName | undefined;
  /** Policy of all intents; the policy of a stack, an intent or a field wins over it. */
  readonly policy?: Policy | undefined;
  /**
   * Directory of the assembly; the `--outdir` flag wins over it.
   *
   * @default 'dist'
   */
  readonly outdir?: string;
}

/**
 * The root construct of a program, without `synth()`: `App` (src/synth/app.ts) adds it, because this room may not import the room that
 * writes assemblies.
 */
export abstract class AppRoot extends Cdk8sApp {
  /** Name of the app; undefined if neither the program nor the configuration sets one, which is an error at synth. */
  readonly name: string | undefined;
  /** Name of this installation of the app. */
  readonly instance: string;
  /** Former name of the app and of its instance. */
  readonly renamedFrom: FormerName;
  /** The policy of the program, then the policy of the configuration; the first wins. */
  readonly policies: readonly Policy[];
  /** Namespace of stacks that name none. */
  readonly defaultNamespace: string | undefined;
  /** @internal The id of the program, by the configuration. */
  readonly id: string | undefined;
  /** True to prune objects that are no longer declared without asking; the `prune` of a stack wins over it. */
  readonly prune: boolean;
  /**
   * `annotation`: each object names the stacks that declare it; `tracking` of the configuration.
   *
   * @default 'none'
   */
  readonly tracking: Tracking;
  protected written = false;
  /** The first declaration since the last `synth()`. */
  #unwritten: FieldwiseError | undefined;
  #onLate: ((error: FieldwiseError) => void) | undefined;
  protected sealed = false;
  /** The constructs of the last `synth()`. */
  #writtenConstructs: ReadonlySet<IConstruct> = new Set();
  /** @internal */
  readonly contextReads: ContextReads;
  /** @internal */
  readonly sourceCache = new SourceCache();

  protected constructor(props: AppProps = {}) {
    const environment = readEnvironment();
    const {
      name = environment.appName ?? nameOutside(),
      instance = environment.instance ?? 'default',
      policy,
      outdir,
      renamedFrom,
      ...others
    } = props;
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
    this.id = environment.id;
    this.tracking = environment.tracking ?? 'none';
    this.contextReads = trackContext(this.node, environment.context);
    brandWith(this, appBrand);
    registerApp(this);
    interceptYamlLoad();
  }

  /** True if `synth()` has written the assembly; otherwise the command line writes it. */
  get isWritten(): boolean {
    return this.written;
  }

  /** @internal Called by `synth()`: what was declared up to now is written. */
  protected setWritten(): void {
    this.written = true;
    this.#unwritten = undefined;
    this.#writtenConstructs = new Set(this.node.findAll());
  }

  /** The first declaration since the last `synth()`, also that of a construct of another library. */
  #late(): FieldwiseError | undefined {
    if (!this.written || this.#unwritten) return this.#unwritten;
    const late = this.node.findAll().find((construct) => !this.#writtenConstructs.has(construct));
    return (
      late &&
      declaredLate(`The construct ${constructPathOf(late)} was made after the last \`synth()\``, { construct: constructPathOf(late) })
    );
  }

  /** @internal Fails this process, which the command line has started for the program, if something was declared after the last `synth()`. */
  failProcess(): void {
    const error = this.#late();
    if (error === undefined || this.#onLate !== undefined || process.exitCode) return;
    process.stderr.write(`error: ${error.describe()} [${error.code}]\n`);
    process.exitCode = 2;
  }

  /**
   * @internal Notes that something is declared.
   *
   * @param what the call, such as `own`.
   * @throws FieldwiseError `declared-after-synth` if the assembly has been taken.
   */
  declaring(what: string, location: { readonly construct?: string; readonly source?: string }): void {
    if (this.#onLate) {
      const error = declaredLate(`\`${what}\` was called after the program was over`, location);
      this.#onLate(error);
      throw error;
    }
    if (!this.written) return;
    this.#unwritten ??= declaredLate(`\`${what}\` was called after the last \`synth()\``, location);
  }

  /**
   * @internal Refuses further declarations, because the assembly has been taken.
   *
   * @param onLate receives the error of each one.
   */
  close(onLate: (error: FieldwiseError) => void): void {
    this.#onLate = onLate;
  }

  /** @internal Makes `synth()` do nothing, because its directory is no longer its own. */
  seal(): void {
    this.sealed = true;
  }

  /** @internal @throws FieldwiseError `declared-after-synth` if something was declared after the last `synth()`. */
  checkWritten(): void {
    const late = this.#late();
    if (late) throw late;
  }

  /** Returns true for apps, also those of another installed copy of Fieldwise. */
  static isApp(value: unknown): value is AppRoot {
    return hasBrand(value, appBrand);
  }
}

/** Returns the app of a construct; undefined if the root of its tree is not a Fieldwise App. */
export function appOf(construct: IConstruct): AppRoot | undefined {
  const root = construct.node.root;
  return AppRoot.isApp(root) ? root : undefined;
}

/** Returns the path of a construct for errors and the manifest: the name of the app, then the path below it. */
export function constructPathOf(construct: IConstruct): string {
  return [appOf(construct)?.name, construct.node.path].filter((part) => part).join('/');
}

function declaredLate(what: string, location: ErrorLocation): FieldwiseError {
  return new FieldwiseError('declared-after-synth', 'usage', `${what}, and is not in the assembly`, {
    location,
    next: 'Declare everything before the last `synth()`, and await what the declarations wait for.',
  });
}

/** Returns the name of an app in a program that no command of Fieldwise runs. */
function nameOutside(): string | undefined {
  return process.env[environmentNames.projectDir] === undefined ? projectName(process.cwd()) : undefined;
}

function checkName(member: string, value: unknown): void {
  if (value === undefined && member === 'name') return;
  if (typeof value === 'string' && /\S/.test(value)) return;
  throw new FieldwiseError('name-invalid', 'usage', `\`${member}\` of the App must be a non-empty string, not ${JSON.stringify(value)}`);
}
