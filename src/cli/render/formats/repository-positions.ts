import { existsSync } from 'node:fs';
import path from 'node:path';
import { nearestWith } from '../../../util/nearest-with.js';
import { slashPath } from '../../../util/slash-path.js';

/** A position in a file, relative to the root of the repository. */
export interface SourcePosition {
  /** With forward slashes. */
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/** Halves of surrogate pairs, which no URI can hold. */
const halfCharacters = /[\ud800-\udfff]/gu;

/** Finds positions of a program in its repository. */
export class RepositoryPositions {
  readonly #project: string;
  readonly #root: string;
  readonly #fallback: string | undefined;

  /**
   * @param project the directory to which positions are relative.
   * @param fallback the file to blame for findings without a declaration, such as deleted objects.
   */
  constructor(project: string, fallback?: string) {
    this.#project = project;
    this.#root = repositoryRoot(project);
    this.#fallback = fallback === undefined ? undefined : this.#relative(fallback);
  }

  /** Returns the position that a text such as `main.ts:12:9` names; undefined for standard input and for files out of the repository. */
  find(source: string | undefined): SourcePosition | undefined {
    const [, file, line, column] = /^(.+?):(\d+)(?::(\d+))?$/s.exec(source ?? '') ?? [];
    if (file === undefined || (file === 'stdin' && !existsSync(path.resolve(this.#project, file)))) return undefined;
    const relative = this.#relative(file);
    if (relative === undefined) return undefined;
    return { file: relative, line: Math.max(1, Number(line)), ...(column === undefined ? {} : { column: Math.max(1, Number(column)) }) };
  }

  /** Returns the first line of the program. */
  get fallback(): SourcePosition | undefined {
    return this.#fallback === undefined ? undefined : { file: this.#fallback, line: 1 };
  }

  #relative(file: string): string | undefined {
    const absolute = path.resolve(this.#project, file.replaceAll(halfCharacters, '\ufffd'));
    const relative = slashPath(this.#root, absolute);
    return relative === '' || relative.startsWith('../') || path.isAbsolute(relative) ? undefined : relative;
  }
}

/** Returns the directory at or above a project that is a checkout of Git, else the project. */
function repositoryRoot(project: string): string {
  const directory = path.resolve(project);
  return nearestWith(directory, '.git') ?? directory;
}
