import * as v from 'valibot';
import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml';
import { type Policy, parsePolicy } from '../app/policy.js';
import { FieldwiseError } from '../util/error.js';

const text = v.pipe(v.string('must be text'), v.nonEmpty('must not be empty'));

const file = v.strictObject({
  app: v.exactOptional(text),
  output: v.exactOptional(text),
  imports: v.exactOptional(v.array(text, 'must be a list')),
  listTypes: v.exactOptional(v.array(text, 'must be a list')),
  name: v.exactOptional(text),
  instance: v.exactOptional(text),
  context: v.exactOptional(v.record(v.string(), v.unknown(), 'must be a map')),
  cluster: v.exactOptional(v.literal('embedded', 'must be `embedded`')),
  kubeContext: v.exactOptional(text),
  kubeconfig: v.exactOptional(text),
  namespace: v.exactOptional(text),
  policy: v.exactOptional(v.record(v.string(), v.unknown(), 'must be a map')),
  prune: v.exactOptional(v.boolean('must be true or false')),
  inventory: v.exactOptional(v.strictObject({ namespace: v.exactOptional(text) }, 'must be a map')),
});

/** What a configuration file may say; every member is optional. */
export type ConfigFile = Omit<v.InferOutput<typeof file>, 'policy'> & { readonly policy?: Policy };

/**
 * Reads the text of a configuration file.
 *
 * @param name the file as the person named it, for errors.
 * @throws FieldwiseError `config-invalid` with line and column.
 */
export function parseConfigFile(content: string, name: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken) throw invalid(`it is no YAML: ${broken.message}`, positionIn(lines, name, broken.pos[0]));
  if (document.contents !== null && !isMap(document.contents)) throw invalid('it must be a map', positionIn(lines, name, 0));
  const value: unknown = document.toJS() ?? {};
  const result = v.safeParse(file, value, { abortEarly: true });
  if (!result.success) {
    const [issue] = result.issues;
    const steps = (issue.path ?? []).map(({ key }) => key as string | number);
    const path = steps.join('.');
    const what = issue.expected === 'never' ? unknownKey(steps) : `\`${path}\` ${issue.message}`;
    throw invalid(what, positionIn(lines, name, offsetOf(document, steps)));
  }
  const { policy, ...others } = result.output;
  if (policy === undefined) return others;
  return { ...others, policy: parsePolicy(policy, { file: positionIn(lines, name, offsetOf(document, ['policy'])) }) };
}

function unknownKey(steps: readonly (string | number)[]): string {
  const known = steps.length > 1 ? Object.keys(file.entries.inventory.wrapped.entries) : Object.keys(file.entries);
  return `\`${steps.join('.')}\` is no key of a configuration file; known are ${known.join(', ')}`;
}

/** Where the key of a path stands in the text. */
function offsetOf(document: Document, steps: readonly (string | number)[]): number {
  const parent = steps.length > 1 ? document.getIn(steps.slice(0, -1), true) : document.contents;
  const last = steps.at(-1);
  const pair = isMap(parent) ? parent.items.find(({ key }) => (isNode(key) ? key.toJSON() : key) === last) : undefined;
  const node = pair?.key ?? document.getIn(steps, true);
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

function positionIn(lines: LineCounter, name: string, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${name}:${line}:${col}`;
}

function invalid(what: string, file: string): FieldwiseError {
  return new FieldwiseError('config-invalid', 'usage', `The configuration file is wrong: ${what}`, { place: { file } });
}
