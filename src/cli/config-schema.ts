import * as v from 'valibot';
import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml';
import { type Policy, parsePolicy } from '../app/policy.js';
import { FieldwiseError } from '../util/error.js';

const text = v.pipe(v.string('must be text'), v.nonEmpty('must not be empty'));

/** The shape of a configuration file; schema/fieldwise.schema.json is made of it. */
export const configFileSchema = v.strictObject({
  app: v.exactOptional(
    v.pipe(
      text,
      v.description('The program: a TypeScript or JavaScript file, a command that runs one, or the directory of a finished assembly.'),
    ),
  ),
  output: v.exactOptional(v.pipe(text, v.description('Directory of the assembly. Default: dist.'))),
  imports: v.exactOptional(
    v.pipe(v.array(text, 'must be a list'), v.description('Sources of generated builders, as `fieldwise import` takes them.')),
  ),
  listTypes: v.exactOptional(
    v.pipe(
      v.array(text, 'must be a list'),
      v.description('List types that these sources lack, such as Gateway:.spec.listeners=map[port].'),
    ),
  ),
  name: v.exactOptional(v.pipe(text, v.description('Name of the app, part of every field manager, for programs that give none.'))),
  instance: v.exactOptional(
    v.pipe(text, v.description('Deployment of the app, such as staging: part of every field manager. Default: default.')),
  ),
  context: v.exactOptional(
    v.pipe(v.record(v.string(), v.unknown(), 'must be a map'), v.description('What the program reads by `app.node.tryGetContext(key)`.')),
  ),
  cluster: v.exactOptional(
    v.pipe(v.literal('embedded', 'must be `embedded`'), v.description('The embedded API server instead of the cluster of a kubeconfig.')),
  ),
  kubeContext: v.exactOptional(v.pipe(text, v.description('Context of the kubeconfig.'))),
  kubeconfig: v.exactOptional(v.pipe(text, v.description('File of the kubeconfig.'))),
  namespace: v.exactOptional(v.pipe(text, v.description('Namespace of stacks that name none.'))),
  policy: v.exactOptional(
    v.pipe(
      v.record(v.string(), v.unknown(), 'must be a map'),
      v.description('Policy of all intents, such as `conflicts: fail`; nearer ones (stack, intent, field) win.'),
    ),
  ),
  prune: v.exactOptional(
    v.pipe(v.boolean('must be true or false'), v.description('Whether objects no longer declared are deleted or released without asking.')),
  ),
  tracking: v.exactOptional(
    v.pipe(
      v.picklist(['annotation', 'none'], 'must be annotation or none'),
      v.description(
        'annotation: each object names the stacks that declare it, by an annotation that each stack owns; none is the default.',
      ),
    ),
  ),
  reconcile: v.exactOptional(
    v.pipe(
      v.picklist(['full', 'changed'], 'must be full or changed'),
      v.description('full: every intent is sent (default); changed: those of which a LIST proves that nothing would change are not.'),
    ),
  ),
  inventory: v.exactOptional(
    v.strictObject(
      {
        namespace: v.exactOptional(
          v.pipe(text, v.description('Namespace that holds what Fieldwise remembers of stacks. Default: fieldwise-system.')),
        ),
      },
      'must be a map',
    ),
  ),
});

/** What a configuration file may say; every member is optional. */
export type ConfigFile = Omit<v.InferOutput<typeof configFileSchema>, 'policy'> & { readonly policy?: Policy };

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
  if (broken) throw invalidConfig(`it is no YAML: ${broken.message}`, positionIn(lines, name, broken.pos[0]));
  if (document.contents !== null && !isMap(document.contents)) throw invalidConfig('it must be a map', positionIn(lines, name, 0));
  const value: unknown = document.toJS() ?? {};
  const result = v.safeParse(configFileSchema, value, { abortEarly: true });
  if (!result.success) {
    const [issue] = result.issues;
    const steps = (issue.path ?? []).map(({ key }) => key as string | number);
    const path = steps.join('.');
    const what = issue.expected === 'never' ? unknownKey(steps) : `\`${path}\` ${issue.message}`;
    throw invalidConfig(what, positionIn(lines, name, offsetOf(document, steps)));
  }
  const { policy, ...others } = result.output;
  if (policy === undefined) return others;
  return { ...others, policy: parsePolicy(policy, { file: positionIn(lines, name, offsetOf(document, ['policy'])) }) };
}

function unknownKey(steps: readonly (string | number)[]): string {
  const known = steps.length > 1 ? Object.keys(configFileSchema.entries.inventory.wrapped.entries) : Object.keys(configFileSchema.entries);
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

function invalidConfig(what: string, file: string): FieldwiseError {
  return new FieldwiseError('config-invalid', 'usage', `The configuration file is wrong: ${what}`, { location: { file } });
}
