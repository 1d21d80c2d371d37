import { FieldwiseError } from '../../util/error.js';
import type { ConfigFile, EnvironmentFile } from './config-schema.js';

/** The places that may choose an environment, and the files that describe environments. */
export interface EnvironmentSources {
  /** The value of `--env`. */
  readonly flag: string | undefined;
  /** The value of FIELDWISE_ENV. */
  readonly variable: string | undefined;
  readonly project: ConfigFile;
  readonly home: ConfigFile;
  /** The configuration file of the project as the user named it. */
  readonly file: string;
}

/** The chosen environment. */
export interface ChosenEnvironment {
  readonly name: string;
  /** Its keys in the file of the project. */
  readonly project: EnvironmentFile;
  /** Its keys in the file of the user. */
  readonly home: EnvironmentFile;
}

/**
 * Returns the environment that `--env`, FIELDWISE_ENV or `env` in a configuration file names; the first one wins. Undefined if none does.
 *
 * @throws FieldwiseError `environment-unknown` with the known names; `flag-invalid` if `--env` names several.
 */
export function chooseEnvironment(sources: EnvironmentSources): ChosenEnvironment | undefined {
  const { flag, variable, project, home, file } = sources;
  const choices = [
    { name: flag, by: '`--env`' },
    { name: variable, by: 'the environment variable FIELDWISE_ENV' },
    { name: project.env, by: `\`env\` in ${file}` },
    { name: home.env, by: '`env` in your configuration file' },
  ];
  const choice = choices.find(({ name }) => name !== undefined);
  if (choice?.name === undefined) return undefined;
  const { name, by } = choice;
  const known = environmentNames(sources);
  if (!known.includes(name)) throw unknownEnvironment(name, by, known, file);
  return { name, project: environmentIn(project, name), home: environmentIn(home, name) };
}

/** Returns the names of all environments, those of the project first. */
export function environmentNames({ project, home }: Pick<EnvironmentSources, 'project' | 'home'>): readonly string[] {
  return [...new Set([project, home].flatMap(({ environments = {} }) => Object.keys(environments)))];
}

/** Returns the names that a value of `--env` lists, such as `staging,prod`, each once. */
export function listedEnvironments(flag: string): readonly string[] {
  return [...new Set(flag.split(',').map((name) => name.trim()))];
}

/** Returns the keys of an environment in a file; a name such as `constructor` is not one of JavaScript's own. */
export function environmentIn({ environments = {} }: ConfigFile, name: string): EnvironmentFile {
  return (Object.hasOwn(environments, name) ? environments[name] : undefined) ?? {};
}

function unknownEnvironment(name: string, by: string, known: readonly string[], file: string): FieldwiseError {
  if (by === '`--env`' && listedEnvironments(name).length > 1) {
    return new FieldwiseError('flag-invalid', 'usage', `\`--env ${name}\` names several environments`, {
      next: 'This command takes one environment; `fieldwise diff` takes several, such as `-e staging,prod`.',
    });
  }
  if (known.length === 0) {
    return new FieldwiseError(
      'environment-unknown',
      'usage',
      `${capitalized(by)} chooses the environment ${name}, but none is configured`,
      {
        location: { file },
        next: `Describe it there: \`environments: { ${name || 'prod'}: { instance: …, kubeContext: …, namespace: … } }\`.`,
      },
    );
  }
  return new FieldwiseError('environment-unknown', 'usage', `${capitalized(by)} chooses the environment ${name}, which is not configured`, {
    location: { file },
    next: `The environments are ${known.join(', ')}.`,
  });
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
