import { type AppProps, AppRoot } from '../app/app-root.js';
import { writeAssembly } from '../assembly/index.js';
import { synthesize } from './synthesize.js';

/**
 * The root of a program: a cdk8s App whose `synth()` writes an assembly. Charts below it are stacks whose objects are `own`.
 *
 * @example
 * const app = new App({ name: 'shop' });
 * const stack = new Stack(app, 'web', { namespace: 'shop' });
 * stack.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { colour: 'blue' } });
 * app.synth();
 */
export class App extends AppRoot {
  /** @throws FieldwiseError `name-invalid`, `policy-invalid`, `environment-invalid`. */
  constructor(props: AppProps = {}) {
    super(props);
  }

  /**
   * Writes the assembly to `outdir`, replacing the one there. May be called again.
   *
   * @throws FieldwiseError what `synthesize` and `writeAssembly` throw; the old assembly is then untouched.
   */
  override synth(): void {
    writeAssembly(this.outdir, synthesize(this));
    this.written = true;
  }

  /** The YAML of all stacks in deploy order; nothing is written. */
  override synthYaml(): string {
    const { manifest, files } = synthesize(this);
    return manifest.stacks.map(({ yaml }) => files.get(yaml.path) ?? '').join('');
  }
}
