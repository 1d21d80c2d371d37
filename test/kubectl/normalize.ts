import type { KubectlResult, KubectlStep, Replacement } from './scenario.js';

/** What differs between two runs on one server. */
const always: readonly Replacement[] = [
  [/https?:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d+/g, 'SERVER'],
  [/(127\.0\.0\.1|localhost|\[::1\]):\d+/g, 'SERVER'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UID'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4} [A-Z]+)/g, 'TIME'],
  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME'],
  // What the client says of a watch that it ends itself depends on the moment.
  [/^[EWI]\d{4} .* reflector\.go:.*\n/gm, ''],
  [/^[EWI]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, 'LOG '],
  [/("?resourceVersion"?: *)"\d+"/g, '$1"VERSION"'],
  [/(Resource Version:) +\d+/g, '$1 VERSION'],
  [/kubectl-edit-\d+/g, 'kubectl-edit-NUMBER'],
  [/((LIVE|MERGED)-)\d+/g, '$1NUMBER'],
  [/\b10\.96\.\d+\.\d+\b/g, 'ADDRESS'],
  [/\b3[0-2]\d{3}\b/g, 'NODEPORT'],
  [/(?<=\s)(<invalid>|\d+(m\d+)?s)(?=\s|\)|$)/gm, 'AGE'],
  // The width of a column follows its longest value.
  [/(?<=\S) {2,}/g, '  '],
  [/ +$/gm, ''],
];

/** The same for every run on a server that answers alike. */
export function normalize(result: KubectlResult, step: KubectlStep, own: readonly Replacement[]): KubectlResult {
  const replaced = (text: string) =>
    sortedManagers([...(step.replaces ?? []), ...own, ...always].reduce((now, [pattern, by]) => now.replaceAll(pattern, by), text));
  const reduce = result.code === 0 && step.reduce ? step.reduce : (output: string) => output;
  return { code: result.code, stdout: replaced(reduce(result.stdout)), stderr: replaced(result.stderr) };
}

/** Entries of managedFields are in the order of their times, which are seconds. */
function sortedManagers(yaml: string): string {
  return yaml.replace(/(?<=^ {2}managedFields:\n)(?: {2}[- ] .*\n)+/m, (entries) =>
    entries
      .split(/^(?= {2}- )/m)
      .sort()
      .join(''),
  );
}
