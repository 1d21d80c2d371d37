import path from 'node:path';
import type { Assembly } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import { slashPath } from '../../util/slash-path.js';
import type { Config } from '../config/config.js';
import { plainDocuments } from './plain-documents.js';
import { publishDocuments } from './publish-documents.js';
import type { GitopsTool } from './tools.js';

/** The written documents. */
export interface WrittenDocuments {
  readonly directory: string;
  /** The paths of the files in the directory. */
  readonly files: readonly string[];
  /** The assembly of what was written, with what the program says and the tool does not do as warnings. */
  readonly written: Assembly;
}

/**
 * Writes the documents by which a tool applies an assembly.
 *
 * @param output the directory; absent: one with the name of the tool in the project, and in it one for the chosen environment.
 * @throws FieldwiseError `gitops-source-missing`, and those of `plainDocuments` and `publishDocuments`.
 */
export function writePlainDocuments(assembly: Assembly, tool: GitopsTool, config: Config, output: string | undefined): WrittenDocuments {
  const { gitops, directory: project, environment = '' } = config;
  const directory = output ?? path.join(project, tool, environment);
  const inProject = slashPath(project, directory);
  if (tool === 'argocd' && gitops.repoURL === undefined) {
    throw sourceMissing('no repository from which Argo CD gets them', 'Set `gitops: { repoURL: https://… }` in fieldwise.yaml.');
  }
  if (gitops.path === undefined && (inProject.startsWith('..') || path.isAbsolute(inProject))) {
    throw sourceMissing(
      'a directory outside of the project',
      'Set `gitops: { path: … }` in fieldwise.yaml to their directory in the repository.',
    );
  }
  const inRepository = path.posix.normalize(gitops.path ?? inProject).replace(/\/$/, '');
  const { files, stacks, lost } = plainDocuments(assembly, tool, { ...gitops, path: inRepository === '.' ? '' : inRepository });
  const { manifest } = assembly;
  publishDocuments(directory, files, { ...manifest, tool });
  const written = { ...assembly, manifest: { ...manifest, stacks, warnings: [...manifest.warnings, ...lost] } };
  return { directory, files: [...files.keys()], written };
}

function sourceMissing(what: string, next: string): FieldwiseError {
  return new FieldwiseError('gitops-source-missing', 'usage', `The documents have ${what}`, { next });
}
