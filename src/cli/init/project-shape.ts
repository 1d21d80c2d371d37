import type { LoadedTemplate } from './load-template.js';

/** The facts that decide the content of the files of a project. */
export interface ProjectShape {
  readonly name: string;
  readonly template: LoadedTemplate;
  /** The names of the npm scripts, which differ from those of the template where a package had other ones. */
  readonly scripts: Readonly<Record<string, string>>;
  /** True for files `.mts`: those of a package whose other files are not ES modules. */
  readonly isMixed: boolean;
  /** The file of the compiler options. */
  readonly tsconfig: string;
  /** The environment that the workflow deploys; absent if the existing configuration has none. */
  readonly environment?: string;
  /** The directory of the project below the root of its git repository; empty at the root, or without one. */
  readonly subdirectory: string;
}
