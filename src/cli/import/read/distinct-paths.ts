import { FieldwiseError } from '../../../util/error.js';

interface Occupant {
  readonly part: string;
  readonly isFile: boolean;
  readonly path: string;
}

/**
 * Rejects files of an output directory of which one would overwrite another: a group has the name of the lock file, or two names differ
 * only in case, which file systems of macOS and Windows ignore.
 *
 * @param paths relative, with forward slashes; a repeated path is one file.
 * @throws FieldwiseError `output-twice`.
 */
export function requireDistinctPaths(paths: readonly string[]): void {
  const occupants = new Map<string, Occupant>();
  for (const path of new Set(paths)) {
    const steps = path.split('/');
    for (let length = 1; length <= steps.length; length++) {
      const part = steps.slice(0, length).join('/');
      const isFile = length === steps.length;
      const before = occupants.get(part.toLowerCase());
      if (before === undefined) occupants.set(part.toLowerCase(), { part, isFile, path });
      else if (before.isFile || isFile || before.part !== part) throw clash(path, part, before);
    }
  }
}

function clash(path: string, part: string, before: Occupant): FieldwiseError {
  const caseOnly = before.part !== part ? ' on a file system that ignores case' : '';
  return new FieldwiseError('output-twice', 'usage', `${path} would overwrite ${before.path}${caseOnly}`, {
    next: 'Separate them with NAME:=SPEC, or import them into different directories with --outdir.',
  });
}
