import { Chart, type ChartProps } from 'cdk8s';
import type { Construct, IConstruct } from 'constructs';
import { FieldwiseError } from '../util/error.js';
import { fieldManagerOf } from '../util/field-manager.js';
import { appOf, constructPathOf } from './app-root.js';
import { brandWith, hasBrand, stackBrand } from './brand.js';
import { declareIntent, type IntentConfig } from './declare.js';
import type { Intent } from './intent.js';
import { type Policy, parsePolicy } from './policy.js';
import { sourceOf } from './source-position.js';

/** Options of a `Stack`, beside those of a cdk8s Chart. */
export interface StackProps extends ChartProps {
  /**
   * Namespace of objects that name none; cluster-scoped objects never get one. Default: that of the enclosing stack, else that of
   * the configuration.
   */
  readonly namespace?: string;
  /** Policy of the stack's intents; those of an intent and a field win, and it wins over the app's. */
  readonly policy?: Policy | undefined;
  /**
   * What the stack was called before, as a path below the app: the next deploy moves what that stack has in the cluster to this one,
   * without a moment in which a field has no owner. May stay for as long as a cluster may still know the old name.
   */
  readonly renamedFrom?: string | undefined;
  /** Whether objects no longer declared may be pruned without asking. Default: `prune` of the configuration. */
  readonly prune?: boolean | undefined;
}

/**
 * A unit of deployment with a field manager of its own: what it declares is applied together, and what it no longer declares is
 * deleted (`own`) or released (`share`). It is a cdk8s Chart, so that cdk8s constructs work inside it; their objects are `own`.
 */
export class Stack extends Chart {
  readonly policy: Policy | undefined;
  readonly prune: boolean | undefined;
  /** Former path below the app. */
  readonly renamedFrom: string | undefined;

  /** @throws FieldwiseError `stack-without-app`, `name-invalid`, `policy-invalid`. */
  constructor(scope: Construct, id: string, props: StackProps = {}) {
    const app = appOf(scope);
    if (!app) {
      throw new FieldwiseError('stack-without-app', 'usage', `Stack ${JSON.stringify(id)} stands under no Fieldwise App`, {
        location: sourceOf('Stack'),
        next: "Create it below `new App({ name: '…' })` of fieldwise.",
      });
    }
    if (id in Object.prototype) {
      throw new FieldwiseError('name-invalid', 'usage', `A stack cannot be named ${id}: constructs keep that name for themselves`, {
        location: sourceOf('Stack'),
        next: 'Choose another name.',
      });
    }
    const { policy, prune, renamedFrom, namespace = enclosingNamespace(scope) ?? app.defaultNamespace, ...others } = props;
    if (renamedFrom !== undefined && !(typeof renamedFrom === 'string' && /\S/.test(renamedFrom))) {
      throw new FieldwiseError('name-invalid', 'usage', '`renamedFrom` of a Stack must be a non-empty string', {
        location: sourceOf('Stack'),
      });
    }
    const path = [constructPathOf(scope), id].filter((part) => part).join('/');
    const parsed = policy === undefined ? undefined : parsePolicy(policy, { construct: path, ...sourceOf('Stack') });
    super(scope, id, { ...others, ...(namespace === undefined ? {} : { namespace }) });
    this.policy = parsed;
    this.prune = prune;
    this.renamedFrom = renamedFrom;
    brandWith(this, stackBrand);
  }

  /** The field manager of the stack, under which the API server records its fields. */
  get manager(): string {
    const { name = '', instance } = appOf(this) as NonNullable<ReturnType<typeof appOf>>;
    return fieldManagerOf({ app: name, instance, stack: this.node.path });
  }

  /** Returns true for stacks, also those of another installed copy of Fieldwise. */
  static isStack(value: unknown): value is Stack {
    return hasBrand(value, stackBrand);
  }

  /**
   * Declares fields of an object that this stack owns: created if absent, deleted on destroy or when no longer declared.
   *
   * @example
   * ```ts
   * stack.own(deployment('web').withSpec({ replicas: 2 }), { conflicts: 'fail' });
   * ```
   *
   * @param config a builder of a whole object, or a literal with apiVersion, kind and metadata.name.
   * @throws FieldwiseError `policy-invalid`, `intent-invalid` where `config` is neither.
   */
  own(config: IntentConfig, policy?: Policy): Intent {
    return declareIntent(this, 'own', config, policy);
  }

  /**
   * Declares fields of an object that others may own too. On destroy, or when no longer declared, only the fields of this stack are released;
   * the object stays.
   *
   * @example
   * ```ts
   * stack.share(configMap('settings', 'platform').withData({ web: 'http://web' }), { ifAbsent: 'create' });
   * ```
   *
   * @param config a builder of a whole object, or a literal with apiVersion, kind and metadata.name.
   * @throws FieldwiseError `policy-invalid`, `intent-invalid` where `config` is neither.
   */
  share(config: IntentConfig, policy?: Policy): Intent {
    return declareIntent(this, 'share', config, policy);
  }
}

function enclosingNamespace(scope: IConstruct): string | undefined {
  return scope.node.scopes.reverse().find(Chart.isChart)?.namespace;
}
