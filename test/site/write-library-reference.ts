import { join } from 'node:path';
import { Application } from 'typedoc';
import { root } from '../checks/command.js';

/** The entries of the package by their export paths; the builders of the built-in API follow the Kubernetes API reference. */
const entries: Readonly<Record<string, string>> = {
  'src/entry/index.ts': 'fieldwise',
  'src/builders/index.ts': 'fieldwise/builders',
  'codegen/index.ts': 'fieldwise/codegen',
  'src/entry/controller.ts': 'fieldwise/controller',
  'src/entry/deploy.ts': 'fieldwise/deploy',
  'src/entry/embedded.ts': 'fieldwise/embedded',
  'src/entry/ssa.ts': 'fieldwise/ssa',
  'src/testing/index.ts': 'fieldwise/testing',
};

// Writes the reference of the library into the directory that the command line names; a part of `npm run docs`.
const application = await Application.bootstrap({
  options: join(root, 'docs/.vitepress/typedoc.json'),
  entryPoints: Object.keys(entries).map((file) => join(root, file)),
});
const project = await application.convert();
const output = process.argv[2];
if (project === undefined || output === undefined) throw new Error('typedoc could not read the entries, or no directory is named');
for (const module of project.children ?? []) {
  // typedoc names a module after its file.
  const file = Object.keys(entries).find((path) => path.replace(/(?:\/index)?\.ts$/, '') === module.name);
  if (file === undefined) throw new Error(`there is no entry for the module ${module.name}`);
  module.name = entries[file] as string;
}
await application.generateDocs(project, output);
