import type { PrunedContainers } from '../merge/index.js';
import { boolean, checkOptionsBy, nonEmptyText, type OptionRule, type OptionRules, oneOf, seconds } from '../util/check-options.js';
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
   * Runs the namespace controller and the garbage collector; `false` behaves like a kube-apiserver alone; `'simulated'` also runs workloads:
   * controllers make their Pods, which become ready or fail as told, and `deploy` waits for them. The server then has timers.
   *
   * @default true
   */
  readonly controllers?: boolean | 'simulated';
  /**
   * Seconds until a container of a simulated Pod has started, and unit of the other pauses of the simulation. Only with `controllers: 'simulated'`.
   *
   * @default 0.2
   */
  readonly podReadySeconds?: number;
  /**
   * Calls the configured admission webhooks.
   *
   * @default true
   */
  readonly webhooks?: boolean;
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isSource = (value: unknown) => isText(value) || value instanceof URL || isJsonObject(value);
const sources: OptionRule = {
  expected: 'a path, an object, or a list of paths and objects',
  isValid: (value) => isSource(value) || (Array.isArray(value) && value.every(isSource)),
};

const rules: OptionRules<TestClusterOptions> = {
  crds: sources,
  objects: sources,
  namespaces: { expected: 'a list of names', isValid: (value) => Array.isArray(value) && value.every(isText) },
  namespace: nonEmptyText('the name of a namespace'),
  time: {
    expected: "a Date, or a time such as '2030-01-01T00:00:00Z'",
    isValid: (value) => value instanceof Date || typeof value === 'string',
  },
  prunedContainers: oneOf('null', 'keep-empty'),
  controllers: { expected: "true, false or 'simulated'", isValid: (value) => typeof value === 'boolean' || value === 'simulated' },
  podReadySeconds: seconds,
  webhooks: boolean,
};

/** @throws FieldwiseError `option-invalid`. */
export function checkTestClusterOptions(options: TestClusterOptions): void {
  checkOptionsBy(rules, options, 'docs/testing.md');
}
