import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vitepress';
import { root, runTool } from '../checks/command.js';

/** The entries of the package that typedoc describes; the builders of the built-in API follow the Kubernetes API reference. */
const entries = [
  'src/entry/index.ts',
  'src/builders/index.ts',
  'codegen/index.ts',
  'src/entry/controller.ts',
  'src/entry/deploy.ts',
  'src/entry/embedded.ts',
  'src/entry/ssa.ts',
  'src/testing/index.ts',
];

/** `npm run docs`: builds the site into docs/.vitepress/dist. */
const started = Date.now();
const site = join(root, 'docs/.vitepress/dist');
const library = join(root, 'docs/.vitepress/cache/api-reference');
rmSync(library, { recursive: true, force: true });
const [described] = await Promise.all([
  runTool('typedoc', [
    '--options',
    'docs/.vitepress/typedoc.json',
    '--out',
    library,
    ...entries.flatMap((entry) => ['--entryPoints', entry]),
  ]),
  build(join(root, 'docs')),
]);
if (described.code === 0) cpSync(library, join(site, 'api-reference'), { recursive: true });
else process.stderr.write(`${described.output}\n`);
process.stdout.write(`docs/.vitepress/dist, ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
process.exitCode = described.code === 0 ? 0 : 1;
