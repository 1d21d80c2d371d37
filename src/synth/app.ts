import { type AppProps, AppRoot } from '../app/app-root.js';
import { appBrand } from '../app/brand.js';
import { writeAssembly } from '../assembly/index.js';
import { isInstance } from '../util/has-brand.js';
import { sayIfUncaught } from './say-if-uncaught.js';
import { synthesize } from './synthesize.js';

/**
 * The root construct of a program: a cdk8s App whose `synth()` writes an assembly. Charts below it are stacks whose objects are declared
 * with `own`.
 *
 * @example
 * const app = new App({ name: 'shop' });
 * const stack = new Stack(app, 'web', { namespace: 'shop' });
 * stack.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { color: 'blue' } });
 * app.synth();
 */
export class App extends AppRoot {
  /** Recognizes apps by their brand, so that an app of another copy of Fieldwise is an instance too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that extends this one asks for itself
    return isInstance(value, this, App, appBrand);
  }

  /** @throws FieldwiseError `name-invalid`, `policy-invalid`, `environment-invalid`. */
  constructor(props: AppProps = {}) {
    super(props);
  }

  /**
   * Writes the assembly to `outdir` and replaces an assembly there. It may be called several times.
   *
   * @throws FieldwiseError the errors of `synthesize` and `writeAssembly`; the old assembly is then unchanged.
   */
  override synth(): void {
    if (this.sealed) return;
    try {
      writeAssembly(this.outdir, synthesize(this));
    } catch (error) {
      sayIfUncaught(error);
      throw error;
    }
    this.setWritten();
  }

  /**
   * Returns the YAML of all stacks in deploy order, without writing anything.
   *
   * @throws FieldwiseError `declared-after-synth`, and the errors of `synthesize`.
   */
  override synthYaml(): string {
    this.checkWritten();
    const { manifest, files } = synthesize(this);
    return manifest.stacks.map(({ yaml }) => files.get(yaml.path) ?? '').join('');
  }
}
