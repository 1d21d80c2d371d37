import type { EnvironmentVariables } from '../util/environment-variables.js';
import { FieldwiseError } from '../util/error.js';
import { parsePolicy, withPresentNames } from './settings/parse-policy.js';
import type { Policy } from './settings/policy.js';

/**
 * The environment variables by which the command line passes its configuration to a program, which may run in its own process. They also
 * configure a program that runs without the command line.
 */
export const environmentNames = {
  appName: 'FIELDWISE_APP_NAME',
  instance: 'FIELDWISE_INSTANCE',
  id: 'FIELDWISE_ID',
  outdir: 'FIELDWISE_OUTDIR',
  namespace: 'FIELDWISE_NAMESPACE',
  /** A `Policy` as JSON. */
  policy: 'FIELDWISE_POLICY',
  /** `true` or `false`. */
  prune: 'FIELDWISE_PRUNE',
  /** `annotation` or `none`. */
  tracking: 'FIELDWISE_TRACKING',
  /** Context values by key, as JSON; the program reads them with `app.node.tryGetContext(key)`. */
  context: 'FIELDWISE_CONTEXT',
  /** The environment that is chosen in fieldwise.yaml. Fieldwise does not read it in a program. */
  environment: 'FIELDWISE_ENV',
  /** Directory that source positions are relative to. */
  projectDir: 'FIELDWISE_PROJECT_DIR',
} as const satisfies Readonly<Record<string, keyof EnvironmentVariables>>;

/** `annotation`: each object names the stacks that declare it, in an annotation of each stack. */
export type Tracking = 'annotation' | 'none';

/** The configuration of a program by environment variables. */
export interface ProgramEnvironment {
  readonly appName?: string;
  readonly instance?: string;
  readonly id?: string;
  readonly outdir?: string;
  readonly namespace?: string;
  readonly policy?: Policy;
  readonly prune?: boolean;
  readonly tracking?: Tracking;
  readonly context: Readonly<Record<string, unknown>>;
}

/**
 * Reads the environment variables of a program; empty variables count as unset.
 *
 * @throws FieldwiseError `environment-invalid`, `policy-invalid`.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>> = process.env): ProgramEnvironment {
  const names = environmentNames;
  const { appName, instance, id, outdir, namespace } = {
    appName: env[names.appName] || undefined,
    instance: env[names.instance] || undefined,
    id: env[names.id] || undefined,
    outdir: env[names.outdir] || undefined,
    namespace: env[names.namespace] || undefined,
  };
  const policy = readJson(env, names.policy);
  const prune = env[names.prune] || undefined;
  if (prune !== undefined && prune !== 'true' && prune !== 'false') throw invalid(names.prune, 'must be true or false');
  const tracking = env[names.tracking] || undefined;
  if (tracking !== undefined && tracking !== 'annotation' && tracking !== 'none')
    throw invalid(names.tracking, 'must be annotation or none');
  const context = readJson(env, names.context) ?? {};
  if (typeof context !== 'object' || context === null || Array.isArray(context)) throw invalid(names.context, 'must be a JSON object');
  return {
    ...(appName === undefined ? {} : { appName }),
    ...(instance === undefined ? {} : { instance }),
    ...(id === undefined ? {} : { id }),
    ...(outdir === undefined ? {} : { outdir }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(policy === undefined ? {} : { policy: parsePolicy(withPresentNames(policy), { file: names.policy }) }),
    ...(prune === undefined ? {} : { prune: prune === 'true' }),
    ...(tracking === undefined ? {} : { tracking }),
    context: context as Record<string, unknown>,
  };
}

function readJson(env: Readonly<Record<string, string | undefined>>, name: string): unknown {
  const text = env[name];
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(name, 'is not JSON', cause);
  }
}

function invalid(name: string, what: string, cause?: unknown): FieldwiseError {
  return new FieldwiseError('environment-invalid', 'usage', `The environment variable ${name} ${what}`, {
    location: { file: name },
    cause,
  });
}
