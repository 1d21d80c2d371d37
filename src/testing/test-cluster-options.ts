import type { PrunedContainers } from '../merge/index.js';
import { FieldwiseError } from '../util/error.js';
import { invalidArgument } from '../util/invalid-argument.js';
import { isJsonObject } from '../util/json.js';
import type { ObjectSource } from './input-objects.js';

/** Options of `testCluster`. */
export interface TestClusterOptions {
  /**
   * CustomResourceDefinitions that the server has from the start: paths of files and directories (YAML or JSON; other documents of a
   * directory are left out), or objects.
   *
   * @default no CRDs
   */
  readonly crds?: ObjectSource | readonly ObjectSource[];
  /**
   * Objects that the server has from the start, with their namespaces: paths of files and directories, builders, or objects. An object with
   * `managedFields` keeps its owners, uid and status; another one is applied by the field manager `preloaded`, its status included.
   *
   * @default no objects
   */
  readonly objects?: ObjectSource | readonly ObjectSource[];
  /**
   * Namespaces that the server has from the start, besides `default` and those of `objects`.
   *
   * @default no others
   */
  readonly namespaces?: readonly string[];
  /**
   * The namespace of objects without one; the server has it from the start.
   *
   * @default 'default'
   */
  readonly namespace?: string;
  /**
   * The time of the server, which then stands still until `setTime` or `advanceTime` changes it.
   *
   * @default the clock of the process, fake timers included
   */
  readonly time?: Date | string;
  /**
   * The value of a map or list after an apply removes its last member: `null`, as in Kubernetes 1.36.3, or an empty container,
   * `keep-empty`, as in 1.36.2.
   *
   * @default 'null'
   */
  readonly prunedContainers?: PrunedContainers;
  /**
   * Runs the namespace controller and the garbage collector; `false` behaves like a kube-apiserver alone.
   *
   * @default true
   */
  readonly controllers?: boolean;
  /**
   * Calls the configured admission webhooks.
   *
   * @default true
   */
  readonly webhooks?: boolean;
}

type Rule = readonly [isValid: (value: unknown) => boolean, expected: string];

const boolean: Rule = [(value) => typeof value === 'boolean', 'true or false'];
const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isSource = (value: unknown) => isText(value) || value instanceof URL || isJsonObject(value);
const sources: Rule = [
  (value) => isSource(value) || (Array.isArray(value) && value.every(isSource)),
  'a path, an object, or a list of paths and objects',
];

const rules: Readonly<Record<keyof TestClusterOptions, Rule>> = {
  crds: sources,
  objects: sources,
  namespaces: [(value) => Array.isArray(value) && value.every(isText), 'a list of names'],
  namespace: [isText, 'the name of a namespace'],
  time: [(value) => value instanceof Date || typeof value === 'string', "a Date, or a time such as '2030-01-01T00:00:00Z'"],
  prunedContainers: [(value) => value === 'null' || value === 'keep-empty', "'null' or 'keep-empty'"],
  controllers: boolean,
  webhooks: boolean,
};

/** @throws FieldwiseError `option-invalid`. */
export function checkTestClusterOptions(options: TestClusterOptions): void {
  if (!isJsonObject(options)) throw invalidArgument('The argument `options`', options, 'an object');
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const rule = Object.hasOwn(rules, name) ? rules[name as keyof TestClusterOptions] : undefined;
    if (rule === undefined) {
      throw new FieldwiseError('option-invalid', 'usage', `There is no option \`${name}\``, {
        next: 'Leave it out, or correct its name; docs/testing.md lists the options.',
      });
    }
    if (!rule[0](value)) throw invalidArgument(`The option \`${name}\``, value, rule[1]);
  }
}
