import type { Manifest } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import type { Config } from './config.js';

/**
 * Refuses to work for no environment where environments are configured: the instance `default` and the current context of the kubeconfig
 * are those of none of them. An explicit instance is a choice, too.
 *
 * @throws FieldwiseError `environment-missing`.
 */
export function requireEnvironment(config: Config): void {
  if (!isEnvironmentMissing(config)) return;
  const { environments, file } = config;
  throw new FieldwiseError('environment-missing', 'usage', 'No environment is chosen', {
    ...(file === undefined ? {} : { location: { file } }),
    next: `Choose one of ${environments.join(', ')}, such as with \`-e ${environments[0]}\`, FIELDWISE_ENV or \`env\` in fieldwise.yaml. To use none of them, pass --instance.`,
  });
}

/** Returns true if environments are configured, and neither one of them nor an instance is chosen. */
export function isEnvironmentMissing({ environment, environments, requestedInstance }: Config): boolean {
  return environment === undefined && environments.length > 0 && requestedInstance === undefined;
}

/**
 * Refuses an assembly of another instance than the one that the user requested: a program may set its instance itself, and a finished
 * assembly has the instance of its synth.
 *
 * @param directory the directory of a finished assembly; absent if the program has just run.
 * @throws FieldwiseError `instance-differs`.
 */
export function checkInstance(config: Config, { instance }: Manifest, directory?: string): void {
  const { environment, requestedInstance } = config;
  // A program that ran for an environment without an instance may choose one; a finished assembly ran for another environment.
  const wanted = requestedInstance ?? (directory !== undefined && environment !== undefined ? config.instance : undefined);
  if (wanted === undefined || wanted === instance) return;
  const chosen = environment === undefined ? '' : ` of the environment ${environment}`;
  const found = directory === undefined ? 'the program sets the instance' : 'the assembly is of the instance';
  throw new FieldwiseError('instance-differs', 'usage', `The chosen instance${chosen} is ${wanted}, but ${found} ${instance}`, {
    ...(directory === undefined ? {} : { location: { file: directory } }),
    next:
      directory === undefined
        ? 'Remove `instance` from `new App({ … })`, or choose the instance that the program sets.'
        : 'Run `fieldwise synth` for this environment or instance, and pass the directory that it names.',
  });
}
