import type { LoadedTemplate } from './load-template.js';
import type { PackageManager } from './package-manager.js';

/** The facts that decide the content of the files of a project. */
export interface ProjectShape {
  readonly name: string;
  /** The random id of the program. */
  readonly id: string;
  readonly template: LoadedTemplate;
  /** The names of the npm scripts, which differ from those of the template where a package had other ones. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly packages: PackageManager;
  /** True for files `.mts`: those of a package whose other files are not ES modules. */
  readonly isMixed: boolean;
  /** The file of the compiler options. */
  readonly tsconfig: string;
  /** The environment that the workflow deploys; absent if the existing configuration has none. */
  readonly environment?: string;
  /** The environment variables that the program reads for its Secrets. */
  readonly variables: readonly string[];
  /** False below the root of a git repository: GitHub reads workflows at the root alone. */
  readonly hasWorkflow: boolean;
}
