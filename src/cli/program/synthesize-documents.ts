import { DocumentObject } from '../../app/document-object.js';
import { Stack } from '../../app/stack.js';
import type { Assembly, AssemblyFiles } from '../../assembly/index.js';
import { App } from '../../synth/app.js';
import { helmHooks } from '../../synth/declared/helm-hooks.js';
import { phasesOf } from '../../synth/declared/hook-phases.js';
import { DiagnosticCollector } from '../../synth/diagnostic-collector.js';
import { synthesize, synthesizeInMemory } from '../../synth/synthesize.js';
import { FieldwiseError } from '../../util/error.js';
import type { Config } from '../config/config.js';
import type { DocumentSource } from '../config/document-source.js';
import type { DocumentHost } from '../documents/document-host.js';
import { subject } from '../documents/document-subject.js';
import { type DocumentedObject, readDocuments } from '../documents/read-documents.js';
import { programEnvironment } from './program-environment.js';
import { setEnvironment } from './set-environment.js';

/**
 * Returns the assembly of documents: one stack, with every check and warning of a program.
 *
 * @throws FieldwiseError `documents-misused`, `documents-empty`, those of `readDocuments` and of `synthesize`; several as `synth-failed`.
 */
export async function synthesizeDocuments(source: DocumentSource, config: Config, host: DocumentHost): Promise<Assembly> {
  return withApp(source, config, host, (app) => synthesizeInMemory(app, new DiagnosticCollector(subject)));
}

/**
 * Returns the files of the assembly of documents.
 *
 * @throws FieldwiseError as `synthesizeDocuments`.
 */
export async function documentAssemblyFiles(source: DocumentSource, config: Config, host: DocumentHost): Promise<AssemblyFiles> {
  return withApp(source, config, host, (app) => synthesize(app, new DiagnosticCollector(subject)));
}

/** Declares the documents in an app, and passes it to `use`. */
async function withApp<Result>(source: DocumentSource, config: Config, host: DocumentHost, use: (app: App) => Result): Promise<Result> {
  const { paths } = source;
  if (paths.length === 0) {
    throw new FieldwiseError('documents-misused', 'usage', '`--stack` needs the documents of the stack', {
      next: 'Pass `--file` with a file, a directory, or - for standard input.',
    });
  }
  const collector = new DiagnosticCollector(subject);
  const objects = await readDocuments(paths, host, (error) => collector.add(error));
  collector.throwIfAny();
  if (objects.length === 0) {
    throw new FieldwiseError('documents-empty', 'usage', 'The documents contain no object', {
      location: { file: paths.map((path) => (path === '-' ? 'stdin' : path)).join(', ') },
      next: `Check the command that writes them. To remove the stack, run \`fieldwise destroy --stack ${source.stack}\`.`,
    });
  }
  const restoreEnvironment = setEnvironment(programEnvironment({ ...config, context: {}, cwd: config.directory, outdir: config.output }));
  try {
    return use(appOf(source, config, objects));
  } finally {
    restoreEnvironment();
  }
}

function appOf({ stack: name, lifecycle, helmHooks: mode }: DocumentSource, config: Config, objects: readonly DocumentedObject[]): App {
  const app = new App({ name: config.name, instance: config.instance });
  app.node.setContext(helmHooks, mode);
  const stack = new Stack(app, name);
  const phases = mode === 'order' ? phasesOf(stack, objects) : undefined;
  for (const object of objects) {
    const { scope, phase } = phases?.get(object) ?? { scope: stack, phase: undefined };
    new DocumentObject(scope, { ...object, lifecycle, phase });
  }
  return app;
}
