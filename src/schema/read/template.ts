import { FieldwiseError } from '../../util/error.js';

/** An action at the place of a line, a value or an item; descriptions and patterns may contain others. */
const action = /^[ \t]*(?:[\w./-]+:[ \t]+|- )?\{\{/m;

/** Returns true for a text with an action of a Go template where YAML would be. */
export function hasTemplateAction(text: string): boolean {
  return text.includes('{{') && action.test(text);
}

/** Returns true if a YAML parser took an action such as `{{ .Values.group }}` for a map whose key is a map. */
export function isTemplated(document: unknown): boolean {
  const open: unknown[] = [document];
  const known = new Set<unknown>();
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null || known.has(value)) continue;
    known.add(value);
    for (const [name, member] of Object.entries(value)) {
      if (name === '[object Object]') return true;
      if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return false;
}

/** Returns the error for a Helm template that was not rendered. */
export function templateNotRendered(file: string): FieldwiseError {
  return new FieldwiseError('template-not-rendered', 'usage', 'The file is a template of a Helm chart, which is YAML only when rendered', {
    location: { file },
    next: `Render the chart and import the result: ${renderCommand(file)}.`,
  });
}

/** Returns the command that renders the chart of a template, such as `helm template --include-crds charts/edge | fieldwise import -`. */
export function renderCommand(file: string): string {
  return `helm template --include-crds ${chartOf(file) ?? 'CHART'} | fieldwise import -`;
}

/** Returns the directory of the chart that a template belongs to; undefined if its path does not show it. */
export function chartOf(file: string): string | undefined {
  return /^([\w./@+-]+?)\/templates\//.exec(file)?.[1];
}
