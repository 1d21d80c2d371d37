import { Dependable, type IConstruct, type IDependable } from 'constructs';
import { environmentNames } from './environment.js';
import { registerRoot } from './registered-apps.js';
import { declarationSource, SourceCache } from './source-position.js';

const watchedMark: unique symbol = Symbol.for('fieldwise.watch-roots') as never;

/**
 * Makes the constructs library register each construct without a scope (an App) that a program creates while the command line runs it, with
 * its line. The library keeps no list of them, and an App of cdk8s beside that of Fieldwise is not reachable from it. Every construct calls
 * `Dependable.implement` when it is made, so replacing this one function is enough.
 */
export function watchRoots(): void {
  const { implement } = Dependable;
  if (watchedMark in implement) return;
  const watched = (instance: IDependable, trait: Dependable): void => {
    implement.call(Dependable, instance, trait);
    const { node } = instance as IConstruct;
    if (node !== undefined && node.scope === undefined && process.env[environmentNames.outdir] !== undefined) {
      const classes = classNames(instance);
      registerRoot({
        construct: instance as IConstruct,
        source: declarationSource(classes[0] ?? 'App', new SourceCache(), new Set(classes)),
      });
    }
  };
  Object.defineProperty(watched, watchedMark, { value: true });
  Dependable.implement = watched;
}

/** Returns the names of the classes of an object, its own first. */
function classNames(instance: object): readonly string[] {
  const names: string[] = [];
  for (let one: unknown = Object.getPrototypeOf(instance); one; one = Object.getPrototypeOf(one))
    names.push((one as object).constructor.name);
  return names;
}
