import { Chart } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import type { Lifecycle } from '../assembly/policy-vocabulary.js';
import { type ApplyConfiguration, type BuilderType, builderTypeOf } from '../builders/apply-configuration.js';
import { isPlainObject, peek } from '../builders/values.js';
import { FieldwiseError } from '../util/error.js';
import { appOf, constructPathOf } from './app-root.js';
import { brandWith, hasBrand, intentBrand } from './brand.js';
import { type Policy, parsePolicy } from './policy.js';
import { snapshotOf } from './snapshot.js';

/** What an intent is made of; `own` and `share` gather it. */
export interface IntentProps {
  readonly lifecycle: Lifecycle;
  readonly config: unknown;
  readonly policy: Policy | undefined;
  readonly source: string | undefined;
}

/** One declaration of fields of one object; several of one stack about one object are merged at synth. */
export class Intent extends Construct {
  readonly lifecycle: Lifecycle;
  readonly policy: Policy | undefined;
  /** Where the program declares it, such as `main.ts:12:9`. */
  readonly source: string | undefined;
  /** What is known of the object's type: only of builders. */
  readonly builderType: BuilderType | undefined;
  readonly #config: unknown;

  /** @throws FieldwiseError `intent-without-stack`, `intent-invalid`, `policy-invalid`. */
  constructor(scope: Construct, props: IntentProps) {
    const { lifecycle, config, policy, source } = props;
    const scopePath = constructPathOf(scope);
    const location = { construct: scopePath, ...(source === undefined ? {} : { source }) };
    if (!appOf(scope) || !scope.node.scopes.some((candidate) => Chart.isChart(candidate))) {
      throw new FieldwiseError(
        'intent-without-stack',
        'usage',
        `\`${lifecycle}\` is called on ${scopePath || 'the App'}, which is below no stack`,
        {
          location: location,
          next: 'Call it on a Stack, or on a construct below one.',
        },
      );
    }
    const type = builderTypeOf(config);
    if (!type && !isPlainObject(config)) {
      throw new FieldwiseError('intent-invalid', 'usage', `\`${lifecycle}\` got ${describe(config)}`, {
        location: location,
        next: 'Give it a builder of a whole object, or a literal with apiVersion, kind and metadata.name.',
      });
    }
    const parsed = policy === undefined ? undefined : parsePolicy(policy, location, lifecycle);
    super(scope, freeId(scope, [lifecycle, ...labelOf(config, type)].join('-')));
    this.lifecycle = lifecycle;
    this.policy = parsed;
    this.source = source;
    this.builderType = type;
    this.#config = type ? config : snapshotOf(config);
    brandWith(this, intentBrand);
  }

  static isIntent(value: unknown): value is Intent {
    return hasBrand(value, intentBrand);
  }

  /**
   * The declared fields: what the builder builds, or the literal as it was when it was declared (not yet checked to be JSON).
   *
   * @throws FieldwiseError `intent-invalid` from the builder.
   */
  content(): unknown {
    if (!this.builderType) return this.#config;
    return (this.#config as ApplyConfiguration<string, unknown>).build({
      construct: constructPathOf(this),
      ...(this.source === undefined ? {} : { source: this.source }),
    });
  }
}

/** Kind and name for the construct id, as far as they are told: what is missing is an error at synth. */
function labelOf(config: unknown, type: BuilderType | undefined): string[] {
  const kind = type?.root?.kind ?? peek(config, 'kind');
  const name = peek(peek(config, 'metadata'), 'name');
  return [kind, name].filter((part): part is string => typeof part === 'string' && part !== '');
}

function freeId(scope: IConstruct, wanted: string): string {
  if (!scope.node.tryFindChild(wanted)) return wanted;
  for (let number = 2; ; number++) {
    const id = `${wanted}-${number}`;
    if (!scope.node.tryFindChild(id)) return id;
  }
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? `an object of class ${value.constructor?.name ?? '(none)'}` : `a ${typeof value}`;
}
