import { Chart, type ChartProps } from 'cdk8s';
import type { Construct, IConstruct } from 'constructs';
import { FieldwiseError } from '../util/error.js';
import { fieldManagerOf } from '../util/field-manager.js';
import { hasBrand, isInstance } from '../util/has-brand.js';
import { appOf, constructPathOf } from './app-root.js';
import { brandWith, stackBrand } from './brand.js';
import { declareIntent, type IntentConfig } from './declare.js';
import type { Intent } from './intent.js';
import { parsePolicy } from './settings/parse-policy.js';
import type { Policy } from './settings/policy.js';
import { declarationSource, sourceOf } from './source-position.js';

/** Options of a `Stack`, in addition to those of a cdk8s Chart. */
export interface StackProps extends ChartProps {
  /**
   * Namespace of objects that name none; cluster-scoped objects never get one.
   *
   * @default the namespace of the enclosing stack, else `namespace` of the configuration
   */
  readonly namespace?: string;
  /** Policy of the intents of this stack. It wins over the policy of the app; the policy of an intent or a field wins over it. */
  readonly policy?: Policy | undefined;
  /**
   * Former name of the stack, as a path below the app. The next deploy transfers the objects and fields of the former stack to this one;
   * every field has an owner at every moment. Keep it as long as any cluster may still have the former name.
   */
  readonly renamedFrom?: string | undefined;
  /**
   * True to prune objects that are no longer declared without asking.
   *
   * @default `prune` of the configuration
   */
  readonly prune?: boolean | undefined;
}

/**
 * A unit of deployment with its own field manager: its objects are applied together, and objects that it no longer declares are deleted
 * (`own`) or released (`share`). It is a cdk8s Chart, so that cdk8s constructs work inside it; their objects are declared with `own`.
 */
export class Stack extends Chart {
  /** Recognizes stacks by their brand, so that a stack of another copy of Fieldwise is an instance too. */
  static override [Symbol.hasInstance](value: unknown): value is Stack {
    // biome-ignore lint/complexity/noThisInStatic: a class that extends this one asks for itself
    return isInstance(value, this, Stack, stackBrand);
  }

  /** The policy of this stack alone. */
  readonly policy: Policy | undefined;
  /** True to prune without asking; undefined for the setting of the app. */
  readonly prune: boolean | undefined;
  /** Former path below the app. */
  readonly renamedFrom: string | undefined;
  /** @internal */
  readonly source: string | undefined;

  /** @throws FieldwiseError `stack-without-app`, `name-invalid`, `stack-twice`, `policy-invalid`, `declared-after-synth`. */
  constructor(scope: Construct, id: string, props: StackProps = {}) {
    const app = (scope as Construct | undefined) && appOf(scope);
    if (!app) {
      throw new FieldwiseError('stack-without-app', 'usage', `Stack ${JSON.stringify(id)} is not inside a Fieldwise App`, {
        location: sourceOf('Stack'),
        next: "Create it below `new App({ name: '…' })` from fieldwise.",
      });
    }
    if (typeof id !== 'string' || id === '') {
      throw new FieldwiseError('name-invalid', 'usage', 'The name of a stack must be a non-empty string', {
        location: sourceOf('Stack'),
        next: 'Choose a name.',
      });
    }
    if (id in Object.prototype) {
      throw new FieldwiseError('name-invalid', 'usage', `A stack cannot be named ${id}: the constructs library reserves that name`, {
        location: sourceOf('Stack'),
        next: 'Choose another name.',
      });
    }
    if (id.includes('/')) {
      const becomes = id.replaceAll('/', '--');
      const what = `A stack cannot be named ${JSON.stringify(id)}: the constructs library makes ${JSON.stringify(becomes)} of it`;
      throw new FieldwiseError('name-invalid', 'usage', what, {
        location: sourceOf('Stack'),
        next: `Write ${JSON.stringify(becomes)}, which is the same stack, or choose another name.`,
      });
    }
    const { policy, prune, renamedFrom, namespace = enclosingNamespace(scope) ?? app.defaultNamespace, ...others } = props;
    if (renamedFrom !== undefined && !(typeof renamedFrom === 'string' && /\S/.test(renamedFrom))) {
      throw new FieldwiseError('name-invalid', 'usage', '`renamedFrom` of a Stack must be a non-empty string', {
        location: sourceOf('Stack'),
      });
    }
    const unset = Object.entries(others.labels ?? {}).find(([, value]) => value === undefined);
    if (unset !== undefined) {
      throw new FieldwiseError(
        'intent-invalid',
        'usage',
        `The label ${JSON.stringify(unset[0])} of stack ${JSON.stringify(id)} is undefined`,
        {
          location: sourceOf('Stack'),
          next: 'Leave the label out, or give it a value.',
        },
      );
    }
    const source = declarationSource('Stack', app.sourceCache, derivedClasses(new.target));
    refuseTwice(scope, id, source);
    const path = [constructPathOf(scope), id].filter((part) => part).join('/');
    // An App of another installed copy may be of a former version.
    app.declaring?.('new Stack', { construct: path, ...(source === undefined ? {} : { source }) });
    const parsed = policy === undefined ? undefined : parsePolicy(policy, { construct: path, ...sourceOf('Stack') });
    super(scope, id, { ...others, ...(namespace === undefined ? {} : { namespace }) });
    this.policy = parsed;
    this.prune = prune;
    this.renamedFrom = renamedFrom;
    this.source = source;
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

/** @throws FieldwiseError `stack-twice` that names both declarations. */
function refuseTwice(scope: Construct, id: string, source: string | undefined): void {
  const sibling = scope.node.tryFindChild(id);
  if (sibling === undefined) return;
  const what = Chart.isChart(sibling) ? 'stack' : 'construct';
  const first = Stack.isStack(sibling) && sibling.source !== undefined ? `, at ${sibling.source}` : '';
  throw new FieldwiseError('stack-twice', 'usage', `There is already a ${what} with the name ${JSON.stringify(id)}${first}`, {
    location: { ...(source === undefined ? {} : { source }) },
    next: 'Choose another name for one of them, or declare the objects of both in one stack.',
  });
}

/** Returns the names of the classes between a class and `Stack`. */
function derivedClasses(target: { readonly name: string }): ReadonlySet<string> {
  const names = new Set<string>();
  for (let one = target; one !== Stack && one.name; one = Object.getPrototypeOf(one)) names.add(one.name);
  return names;
}

function enclosingNamespace(scope: IConstruct): string | undefined {
  return scope.node.scopes.reverse().find(Chart.isChart)?.namespace;
}
