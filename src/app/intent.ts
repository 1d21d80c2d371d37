import { Chart } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import type { Lifecycle } from '../assembly/policy-vocabulary.js';
import { type ApplyConfiguration, type BuilderType, builderTypeOf } from '../builders/apply-configuration.js';
import { isPlainObject, peek } from '../builders/values.js';
import { FieldwiseError } from '../util/error.js';
import { hasBrand } from '../util/has-brand.js';
import { appOf, constructPathOf } from './app-root.js';
import { brandWith, intentBrand } from './brand.js';
import { parsePolicy } from './settings/parse-policy.js';
import type { Policy } from './settings/policy.js';
import { snapshotOf } from './snapshot.js';

/** The arguments of `own` and `share`, with the source position of the call. */
export interface IntentProps {
  readonly lifecycle: Lifecycle;
  readonly config: unknown;
  readonly policy: Policy | undefined;
  readonly source: string | undefined;
}

/** One declaration of fields of one object. At synth, all declarations of a stack for the same object are merged. */
export class Intent extends Construct {
  /** `own` or `share`. */
  readonly lifecycle: Lifecycle;
  /** The policy of this intent alone. */
  readonly policy: Policy | undefined;
  /** Source position of the declaration, such as `main.ts:12:9`. */
  readonly source: string | undefined;
  /** The type of the object; known only of builders. */
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
        `\`${lifecycle}\` is called on ${scopePath || 'the App'}, which is not below a stack`,
        {
          location,
          next: 'Call it on a Stack, or on a construct below one.',
        },
      );
    }
    const type = builderTypeOf(config);
    if (!type && !isPlainObject(config)) {
      throw new FieldwiseError('intent-invalid', 'usage', `\`${lifecycle}\` was called with ${describe(config)}`, {
        location,
        next: 'Pass a builder of a whole object, or a literal with apiVersion, kind and metadata.name.',
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

  /** Returns true for intents, also those of another installed copy of Fieldwise. */
  static isIntent(value: unknown): value is Intent {
    return hasBrand(value, intentBrand);
  }

  /**
   * Returns the declared fields: the object that the builder builds, or a copy of the literal, which is not yet validated as JSON.
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

/** Returns the kind and the name for the construct id, if present; an absent one is an error at synth. */
function labelOf(config: unknown, type: BuilderType | undefined): string[] {
  const kind = type?.root?.kind ?? peek(config, 'kind');
  const name = peek(peek(config, 'metadata'), 'name');
  return [kind, name].filter((part): part is string => typeof part === 'string' && part !== '');
}

/** Returns an id that no construct below `scope` has: the wanted one, or one with a number. */
export function freeId(scope: IConstruct, wanted: string): string {
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
