import * as v from 'valibot';
import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml';
import { parsePolicy, withPresentNames } from '../../app/settings/parse-policy.js';
import type { Policy } from '../../app/settings/policy.js';
import { maxKeep, maxMaxBytes } from '../../engine/history/revision.js';
import { FieldwiseError } from '../../util/error.js';

const text = v.pipe(v.string('must be text'), v.nonEmpty('must not be empty'));

const guardSchema = v.strictObject(
  {
    deployers: v.exactOptional(
      v.pipe(
        v.array(text, 'must be a list'),
        v.description(
          'Users, `group:NAME` and `sa:NAMESPACE/NAME` who deploy the stacks. Default: `sa:` and the ServiceAccount fieldwise of the inventories.',
        ),
      ),
    ),
    breakGlass: v.exactOptional(v.pipe(text, v.description('A group that may change guarded fields in an emergency.'))),
  },
  'must be a map',
);

const gitopsSchema = v.strictObject(
  {
    repoURL: v.exactOptional(v.pipe(text, v.description('The repository from which Argo CD gets the documents; `--for argocd` needs it.'))),
    targetRevision: v.exactOptional(v.pipe(text, v.description('The revision that Argo CD follows. Default: HEAD.'))),
    path: v.exactOptional(
      v.pipe(text, v.description('Their directory in the repository. Default: that of the output, relative to the configuration file.')),
    ),
    namespace: v.exactOptional(
      v.pipe(text, v.description('Namespace of the Applications or Kustomizations. Default: argocd or flux-system.')),
    ),
    project: v.exactOptional(v.pipe(text, v.description('The AppProject of the Applications. Default: default.'))),
    server: v.exactOptional(
      v.pipe(text, v.description('The API server to which Argo CD applies. Default: https://kubernetes.default.svc, its own.')),
    ),
    sourceRef: v.exactOptional(
      v.pipe(
        v.strictObject({ kind: v.exactOptional(text), name: text, namespace: v.exactOptional(text) }, 'must be a map'),
        v.description('The source from which Flux gets the documents. Default: the GitRepository flux-system.'),
      ),
    ),
  },
  'must be a map',
);

/** The keys that a configuration file has at its top, and in each of its environments. */
const placement = {
  cluster: v.exactOptional(
    v.pipe(
      v.literal('embedded', 'must be `embedded`'),
      v.description('`embedded`: use the embedded API server. Default: the cluster of the kubeconfig.'),
    ),
  ),
  kubeContext: v.exactOptional(v.pipe(text, v.description('Context of the kubeconfig. Default: its current context.'))),
  kubeconfig: v.exactOptional(
    v.pipe(text, v.description('Kubeconfig file. Default: KUBECONFIG, else ~/.kube/config, else the service account of the pod.')),
  ),
  namespace: v.exactOptional(
    v.pipe(text, v.description('Namespace of stacks that name none. Default: the namespace of the kubeconfig context.')),
  ),
  context: v.exactOptional(
    v.pipe(
      v.record(v.string(), v.unknown(), 'must be a map'),
      v.description('Context values, which the program reads with `app.node.tryGetContext(key)`.'),
    ),
  ),
  policy: v.exactOptional(
    v.pipe(
      v.record(v.string(), v.unknown(), 'must be a map'),
      v.description('Policy of all intents, such as `conflicts: fail`; the policy of a stack, an intent or a field wins over it.'),
    ),
  ),
  prune: v.exactOptional(
    v.pipe(
      v.boolean('must be true or false'),
      v.description('true: delete or release objects that are no longer declared without asking. Default: false.'),
    ),
  ),
  guard: v.exactOptional(v.pipe(guardSchema, v.description('Who may change the fields of the stacks, for `fieldwise guard`.'))),
  gitops: v.exactOptional(v.pipe(gitopsSchema, v.description('Where Argo CD or Flux finds the documents of `fieldwise synth --for`.'))),
};

/** One environment: keys that replace those at the top of the file, and the pin of its cluster. */
const environmentSchema = v.strictObject(
  {
    instance: v.exactOptional(
      v.pipe(
        text,
        v.description(
          'Name of this installation of the app. Default: `instance` at the top of the file, else the name of the environment.',
        ),
      ),
    ),
    clusterUid: v.exactOptional(
      v.pipe(
        text,
        v.description(
          'The uid of the Namespace kube-system of the cluster, which `fieldwise doctor` prints. No command connects to another cluster for this environment, nor to this cluster for another one.',
        ),
      ),
    ),
    ...placement,
  },
  'must be a map',
);

/** An environment is named on the command line, in lists with commas, and its name is the name of a directory. */
const environmentName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'is not a name of an environment: use at most 63 of A-Z, a-z, 0-9, `.`, `_` and `-`'),
);

function integerFromOne(max: number, description: string) {
  const issue = `must be an integer from 1 to ${max}`;
  return v.exactOptional(
    v.pipe(v.number(issue), v.integer(issue), v.minValue(1, issue), v.maxValue(max, issue), v.description(description)),
  );
}

/** A day: timers of Node take at most 24 of them. */
const maxProgramTimeout = 86_400;

const historySchema = v.strictObject(
  {
    keep: integerFromOne(maxKeep, 'The number of revisions of each stack. Default: 10.'),
    maxBytes: integerFromOne(maxMaxBytes, 'The compressed bytes of all stored declarations of a stack. Default: 4194304.'),
  },
  'must be false or a map',
);

/** The shape of a configuration file; schema/fieldwise.schema.json is generated from it. */
export const configFileSchema = v.strictObject({
  app: v.exactOptional(
    v.pipe(
      text,
      v.description('The program: a TypeScript or JavaScript file, a command that runs it, or a directory that `fieldwise synth` wrote.'),
    ),
  ),
  output: v.exactOptional(v.pipe(text, v.description('Directory for the output of the program. Default: dist.'))),
  imports: v.exactOptional(
    v.pipe(
      v.array(text, 'must be a list'),
      v.description('Sources of generated builders, in the form of the arguments of `fieldwise import`.'),
    ),
  ),
  listTypes: v.exactOptional(
    v.pipe(
      v.array(text, 'must be a list'),
      v.description('List types that override those of the imported CRDs, such as Gateway:.spec.listeners=map[port].'),
    ),
  ),
  name: v.exactOptional(v.pipe(text, v.description('Name of the app, part of every field manager; for programs that do not set it.'))),
  instance: v.exactOptional(
    v.pipe(text, v.description('Name of this installation of the app, such as staging; part of every field manager. Default: default.')),
  ),
  id: v.exactOptional(
    v.pipe(
      text,
      v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'must have 1 to 63 letters, digits, dots, hyphens and underscores'),
      v.description(
        'Tells this program from another one of the same name: a stack that a program with another id deployed is refused. `fieldwise init` writes a random one. Default: none.',
      ),
    ),
  ),
  env: v.exactOptional(
    v.pipe(text, v.description('The environment that is used unless `--env` or FIELDWISE_ENV names another. Default: none.')),
  ),
  environments: v.exactOptional(
    v.pipe(
      v.record(environmentName, environmentSchema, 'must be a map'),
      v.description('Environments by their names, such as staging and prod. `--env` chooses one.'),
    ),
  ),
  ...placement,
  tracking: v.exactOptional(
    v.pipe(
      v.picklist(['annotation', 'none'], 'must be annotation or none'),
      v.description('annotation: each object names the stacks that declare it, in an annotation of each stack. Default: none.'),
    ),
  ),
  programTimeout: integerFromOne(maxProgramTimeout, 'The seconds after which a program that is not over is an error. Default: 600.'),
  reconcile: v.exactOptional(
    v.pipe(
      v.picklist(['auto', 'changed', 'full'], 'must be auto, changed or full'),
      v.description(
        'full: a deploy sends every intent; changed: it skips intents that a LIST proves unchanged; auto: it skips them where no webhook, admission policy or quota would see them. Default: auto.',
      ),
    ),
  ),
  rules: v.exactOptional(
    v.pipe(text, v.description('A TypeScript or JavaScript module whose rules judge the plan of `diff`, `deploy` and `rollback`.')),
  ),
  admission: v.exactOptional(
    v.pipe(
      text,
      v.description(
        'A file or directory of ValidatingAdmissionPolicies, with their bindings and parameters, and of CustomResourceDefinitions, by which `diff` decides on the plan.',
      ),
    ),
  ),
  policies: v.exactOptional(v.pipe(text, v.description('The former name of `admission`, which is still read.'))),
  independent: v.exactOptional(
    v.pipe(
      v.array(text, 'must be a list'),
      v.description(
        'Names of stacks that programs of their own declare, such as `review-*`: no command says that this program does not declare them.',
      ),
    ),
  ),
  inventory: v.exactOptional(
    v.strictObject(
      {
        namespace: v.exactOptional(
          v.pipe(text, v.description('Namespace of the inventories, which record the objects of each stack. Default: fieldwise-system.')),
        ),
      },
      'must be a map',
    ),
  ),
  history: v.exactOptional(
    v.pipe(
      v.lazy((value) => (value === false ? v.literal(false) : historySchema)),
      v.description('The revisions that deploys record in the cluster, for `fieldwise rollback`. false: record none.'),
    ),
  ),
});

type WithPolicy<Keys> = Omit<Keys, 'policy'> & { readonly policy?: Policy };

/** One environment of a configuration file; every member is optional. */
export type EnvironmentFile = WithPolicy<v.InferOutput<typeof environmentSchema>> & {
  /** The position of its `clusterUid`, such as `fieldwise.yaml:12:5`. */
  readonly pinnedAt?: string;
};

/** The content of a configuration file; every member is optional. */
export type ConfigFile = WithPolicy<Omit<v.InferOutput<typeof configFileSchema>, 'environments' | 'policies'>> & {
  /** The position of `admission` where it has its former name, such as `fieldwise.yaml:12:1`. */
  readonly policiesAt?: string;
  readonly environments?: Readonly<Record<string, EnvironmentFile>>;
};

/**
 * Reads the text of a configuration file.
 *
 * @param name the file as the user named it, for errors.
 * @throws FieldwiseError `config-invalid` with line and column.
 */
export function parseConfigFile(content: string, name: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken) throw invalidConfig(`it is not YAML: ${broken.message}`, positionIn(lines, name, broken.pos[0]));
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
  const at = (...steps: readonly string[]) => positionIn(lines, name, offsetOf(document, steps));
  const { environments, policies, ...current } = result.output;
  if (policies !== undefined && current.admission !== undefined) {
    throw invalidConfig('`policies` is the former name of `admission`, so both are one key; leave out `policies`', at('policies'));
  }
  const others = policies === undefined ? current : { ...current, admission: policies, policiesAt: at('policies') };
  if (environments === undefined) return withPolicy(others, () => at('policy'));
  const read = Object.entries(environments).map(([key, environment]): [string, EnvironmentFile] => [
    key,
    {
      ...withPolicy(environment, () => at('environments', key, 'policy')),
      ...(environment.clusterUid === undefined ? {} : { pinnedAt: at('environments', key, 'clusterUid') }),
    },
  ]);
  return { ...withPolicy(others, () => at('policy')), environments: Object.fromEntries(read) };
}

/** @throws FieldwiseError `policy-invalid`. */
function withPolicy<Keys extends { readonly policy?: unknown }>({ policy, ...others }: Keys, position: () => string): WithPolicy<Keys> {
  return policy === undefined ? others : { ...others, policy: parsePolicy(withPresentNames(policy), { file: position() }) };
}

function unknownKey(steps: readonly (string | number)[]): string {
  return `\`${steps.join('.')}\` is not a key of a configuration file; the keys are ${keysBeside(steps).join(', ')}`;
}

function keysBeside([top, ...below]: readonly (string | number)[]): readonly string[] {
  if (below.length === 0) return Object.keys(configFileSchema.entries);
  const nested = {
    environments: environmentSchema,
    gitops: gitopsSchema,
    guard: guardSchema,
    history: historySchema,
    inventory: configFileSchema.entries.inventory.wrapped,
  };
  return Object.keys((nested[top as keyof typeof nested] ?? configFileSchema).entries);
}

/** Returns the offset of the key of a path in the text. */
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
  return new FieldwiseError('config-invalid', 'usage', `Invalid configuration file: ${what}`, { location: { file } });
}
