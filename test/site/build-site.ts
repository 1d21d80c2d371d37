import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vitepress';
import { root, runTool } from '../checks/command.js';

/** `npm run docs`: builds the site into docs/.vitepress/dist. */
const started = Date.now();
const site = join(root, 'docs/.vitepress/dist');
const library = join(root, 'docs/.vitepress/cache/api-reference');
rmSync(library, { recursive: true, force: true });
const [described] = await Promise.all([runTool('tsx', ['test/site/write-library-reference.ts', library]), build(join(root, 'docs'))]);
if (described.code === 0) cpSync(library, join(site, 'api-reference'), { recursive: true });
else process.stderr.write(`${described.output}\n`);
process.stdout.write(`docs/.vitepress/dist, ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
process.exitCode = described.code === 0 ? 0 : 1;
