import { chartOf } from '../../schema/read/template.js';
import { FieldwiseError } from '../../util/error.js';
import { shellWord } from '../render/shell-word.js';

/** Returns the error for the directory of a Helm chart. */
export function chartNotRendered(directory: string): FieldwiseError {
  return notRendered(
    'The directory is a Helm chart, whose templates are documents only when rendered',
    directory,
    `helm template ${shellWord(directory)}`,
  );
}

/** Returns the error for the directory of a kustomization; undefined if none of its files is one. */
export function kustomizationNotRendered(directory: string, names: readonly string[]): FieldwiseError | undefined {
  if (!['kustomization.yaml', 'kustomization.yml', 'Kustomization'].some((name) => names.includes(name))) return undefined;
  return notRendered('The directory is a kustomization, which kustomize builds', directory, `kustomize build ${shellWord(directory)}`);
}

/** Returns the error for input of another tool, with the command that makes documents of it. */
export function notRendered(what: string, file: string, command: string): FieldwiseError {
  return new FieldwiseError('document-not-rendered', 'usage', what, {
    location: { file },
    next: `Pass its output: ${pipeOf(command)}.`,
  });
}

/** Returns a command that deploys the output of another one. */
export function pipeOf(command: string): string {
  return `\`${command} | fieldwise deploy -f - --stack NAME\``;
}

/** Returns the error for a template of a chart among the documents. */
export function templateInDocuments(file: string): FieldwiseError {
  const chart = chartOf(file);
  return new FieldwiseError('template-not-rendered', 'usage', 'The file is a template of a Helm chart, which is YAML only when rendered', {
    location: { file },
    next: `Render the chart and deploy the result: ${pipeOf(`helm template ${chart === undefined ? 'CHART' : shellWord(chart)}`)}.`,
  });
}
