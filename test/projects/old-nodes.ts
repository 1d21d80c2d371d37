import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Count } from './count.js';
import { npm } from './project-case.js';

/** The last Nodes that the package refuses, and older ones that do not parse what it is written in. */
const versions = ['12.22.12', '14.21.3', '18.20.8'];

/** An old Node says in one sentence that it is too old. */
export async function oldNodes(directory: string, tarball: string, count: Count): Promise<void> {
  for (const version of versions) {
    const project = join(directory, `node-${version}`);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{ "private": true }\n');
    const words = [...npm('install'), `node@${version}`, tarball, 'cdk8s', 'constructs'];
    if (!count.run({ name: `node ${version}: install`, directory: project, words })) continue;
    const node = join(project, 'node_modules/node/bin/node');
    for (const command of ['main.cjs', 'kubectl-plugin.cjs']) {
      const said = `error: Fieldwise needs Node 20 or newer, and this is ${version}: ${node} [node-too-old]\n`;
      const check = (output: string) => (output === said ? undefined : `it does not say: ${said}`);
      const file = join('node_modules/fieldwise/lib/src/cli', command);
      count.run({ name: `node ${version}: ${command}`, directory: project, words: [node, file, 'synth'], code: 2, check });
    }
  }
}
