import { copyFileSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { generateModules, readCrd } from '../../../codegen/index.js';
import { peerImport } from '../peers/peer-import.js';
import { PeerProject, peerPackages } from '../peers/peer-project.js';
import { readCorpus } from '../read-corpus.js';
import { ScratchProject } from '../scratch-project.js';
import { type CompilerMessage, messageOf } from './assess-message.js';
import type { Subject } from './mistake.js';

/** A compiler with a name for the report. */
export interface Compiler {
  readonly name: string;
  readonly ts: typeof ts;
}

/** A user's project that has our types and those of the peers for the same kinds. */
export class MistakeProject {
  readonly #scratch = new ScratchProject();
  readonly #peers = new PeerProject();

  /** Installs the peers and writes the modules of the CRDs that the corpus directories have. Returns the subjects that can be compiled. */
  async prepare(subjects: readonly Subject[], directories: readonly string[]): Promise<readonly Subject[]> {
    await this.#peers.install();
    for (const name of Object.keys(peerPackages).filter((name) => !/cli$|^typescript|crd-generate$/.test(name))) this.#link(name);
    for (const name of ['base', 'apimachinery', 'validate', 'core']) this.#link(`@kubernetes-models/${name}`);
    mkdirSync(join(this.#scratch.directory, 'cdk8s'), { recursive: true });
    // What `cdk8s import k8s` writes: the command itself loads its input from the network.
    copyFileSync(this.#peers.path('cdk8s-plus-33/lib/imports/k8s.d.ts'), join(this.#scratch.directory, 'cdk8s', 'k8s.d.ts'));
    const texts = new Map<string, { readonly text: string; readonly document: unknown }>();
    for (const directory of directories) for (const crd of readCorpus(directory)) texts.set(crd.name, crd);
    const present: Subject[] = [];
    for (const subject of subjects) {
      const crd = subject.crd === undefined ? undefined : texts.get(subject.crd);
      if (subject.crd !== undefined && crd === undefined) continue;
      if (crd !== undefined) await this.#writeModules(crd.text, crd.document);
      present.push(subject);
    }
    return present;
  }

  async #writeModules(text: string, document: unknown): Promise<void> {
    const { files } = await generateModules(readCrd(document, { docs: true }).roots, { docs: true });
    for (const { path, text: module } of files) this.#scratch.write(`ours/${path}`, module);
    for (const [importer, directory] of [
      ['cdk8s-cli', 'cdk8s'],
      ['@kubernetes-models/crd-generate', 'models'],
    ] as const) {
      const output = await peerImport(this.#peers, importer, text);
      if ('failure' in output) throw new Error(`${importer} fails: ${output.failure}`);
      for (const [path, module] of Object.entries(output.files)) this.#scratch.write(`${directory}/${path}`, module);
    }
  }

  write(path: string, text: string): string {
    return this.#scratch.write(path, text);
  }

  /** The compiler of this repository and those installed beside the peers. */
  compilers(): readonly Compiler[] {
    const require = createRequire(join(this.#peers.directory, 'package.json'));
    const installed = ['typescript-5.9', 'typescript-6'].map((name) => require(name) as typeof ts);
    const all = [ts, ...installed].map((compiler) => ({ name: `TypeScript ${compiler.version}`, ts: compiler }));
    return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
  }

  /** Compiles programs as one; returns the first message about each that has one. */
  firstMessages(compiler: typeof ts, files: readonly string[]): ReadonlyMap<string, CompilerMessage> {
    const program = compiler.createProgram(files, {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      target: compiler.ScriptTarget.ES2022,
      module: compiler.ModuleKind.ESNext,
      moduleResolution: compiler.ModuleResolutionKind.Bundler,
    });
    const found = new Map<string, CompilerMessage>();
    for (const file of files) {
      const source = program.getSourceFile(file);
      const [first] = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      if (first !== undefined) found.set(file, messageOf(compiler, first));
    }
    return found;
  }

  remove(): void {
    this.#scratch.remove();
  }

  #link(name: string): void {
    const target = this.#peers.path(name);
    const link = join(this.#scratch.directory, 'node_modules', name);
    if (!existsSync(target) || existsSync(link)) return;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
  }
}
