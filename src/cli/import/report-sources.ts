import { chartOf, renderCommand } from '../../schema/read/template.js';
import type { ErrorKind, FieldwiseError } from '../../util/error.js';
import { linesText } from '../render/printable.js';
import { describeSkipped } from './read/skipped.js';
import type { ImportSource } from './read/source.js';

/** The number of files that a line names, and of errors that are listed. */
const shownFiles = 3;
const shownProblems = 10;

/**
 * Prints what was not imported: one line for the skipped parts of a source and one for its templates, and an error for each file that cannot
 * be read, or whose definition an API server refuses.
 *
 * @param all list every skipped part and every error.
 * @returns the kind of the first error.
 */
export function reportSources(
  sources: readonly ImportSource[],
  all: boolean,
  host: { readonly stderr: (text: string) => void },
): ErrorKind | undefined {
  for (const { spec, skipped, templates, alterations } of sources) {
    if (all) host.stderr(linesText(skipped.map(({ text }) => `note: ${text}; skipped.`)));
    else if (skipped.length > 0)
      host.stderr(linesText([`note: ${shownSource(spec.text)}: skipped ${describeSkipped(skipped)} (-v lists them).`]));
    host.stderr(linesText(alterations.map((text) => `warning: ${text}.`)));
    if (templates.length > 0) host.stderr(linesText([`warning: ${describeTemplates(templates, all)}`]));
  }
  const problems = sources.flatMap((source) => source.problems);
  const lines = all ? problems.map((problem) => errorLine(problem, [])) : errorLines(problems);
  host.stderr(linesText(all ? lines : lines.slice(0, shownProblems)));
  if (!all && lines.length > shownProblems) {
    host.stderr(linesText([`error: ${lines.length - shownProblems} more files cannot be imported (-v lists them).`]));
  }
  const refusals = sources.flatMap((source) => source.refusals ?? []);
  host.stderr(linesText(refusals.map(({ subject, message, code }) => `error: ${subject}: ${message} (${code})`)));
  return problems[0]?.kind ?? (refusals.length > 0 ? 'usage' : undefined);
}

/** Describes problems that have the same cause in one line. */
function errorLines(problems: readonly FieldwiseError[]): readonly string[] {
  const groups = new Map<string, FieldwiseError[]>();
  for (const problem of problems) {
    const key = `${problem.code} ${problem.message}`;
    groups.set(key, [...(groups.get(key) ?? []), problem]);
  }
  return [...groups.values()].flatMap(([problem, ...others]) => (problem === undefined ? [] : [errorLine(problem, others)]));
}

function errorLine(problem: FieldwiseError, others: readonly FieldwiseError[]): string {
  const fileOf = ({ location }: FieldwiseError) => (location.file ?? '').split(/ \((?:document|item) /)[0] ?? '';
  const files = [...new Set(others.map(fileOf))].filter((file) => file !== fileOf(problem));
  const where = files.length === 0 ? '' : `, also in ${first(files, false)}`;
  const also = others.length === 0 ? '' : ` The same holds for ${others.length} more${where}.`;
  return `error: ${problem.describe()}${also} [${problem.code}]`;
}

function shownSource(text: string): string {
  return text === '-' ? 'standard input' : text;
}

function describeTemplates(templates: readonly string[], all: boolean): string {
  const what =
    templates.length === 1
      ? '1 template of a Helm chart declares a CustomResourceDefinition and is not imported'
      : `${templates.length} templates of Helm charts declare CustomResourceDefinitions and are not imported`;
  const named = templates.filter((template) => chartOf(template) !== undefined);
  const commands = [...new Set((named.length === 0 ? templates : named).map(renderCommand))];
  return `${what}: ${first(templates, all)}. Render the chart and import the result: ${first(commands, all)}.`;
}

function first(texts: readonly string[], all: boolean): string {
  if (all || texts.length <= shownFiles) return texts.join(', ');
  return `${texts.slice(0, shownFiles).join(', ')} and ${texts.length - shownFiles} more`;
}
