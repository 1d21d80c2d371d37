import type { SourceFinding } from './read-sarif.js';

/** The most errors and the most warnings of one step that GitHub shows. Source: GitHub, "Workflow commands", limits of annotations. */
const maxPerLevel = 10;

/** Returns the lines that make GitHub show findings beside the lines of the program, and the number of those that are left out. */
export function annotations(findings: readonly SourceFinding[]): { readonly lines: readonly string[]; readonly leftOut: number } {
  const shown = (['error', 'warning'] as const).flatMap((level) => findings.filter((one) => one.level === level).slice(0, maxPerLevel));
  return { lines: shown.map(annotation), leftOut: findings.filter(({ level }) => level !== 'note').length - shown.length };
}

function annotation({ level, rule, text, file, line, column }: SourceFinding): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${property(file)}`]),
    ...(file === undefined || line === undefined ? [] : [`line=${line}`]),
    ...(file === undefined || column === undefined ? [] : [`col=${column}`]),
    `title=${property(`fieldwise: ${rule}`)}`,
  ];
  return workflowCommand(level, properties, text);
}

/** Returns a warning that belongs to no file. */
export function warningAnnotation(title: string, text: string): string {
  return workflowCommand('warning', [`title=${property(title)}`], text);
}

/** Source: GitHub, actions/toolkit, the escapes of data and of properties in workflow commands. */
function workflowCommand(level: string, properties: readonly string[], text: string): string {
  return `::${level} ${properties.join(',')}::${data(text)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
