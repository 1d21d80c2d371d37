import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import type { JsonObject } from '../../../lib/src/util/json.js';
import type { Command } from '../processes/cost.js';
import { rowsOfGroups } from '../rows.js';
import type { Assignment, PeerTool } from './peer-tool.js';

const all = { role: 'peer', rows: rowsOfGroups.peers } as const;

/** kubectl, as people apply server-side with it. Its deletion does not wait, which is its cheapest. */
export function kubectl(file: string, version: string): PeerTool {
  return {
    id: 'kubectl',
    title: `kubectl ${version}`,
    ...all,
    async prepare(assignment) {
      const [manifests, changed] = await writeManifests(assignment);
      const apply = (documents: string) => ({ file, words: ['apply', '--server-side', '--force-conflicts', '-f', documents] });
      return {
        create: apply(manifests),
        unchanged: apply(manifests),
        preview: { file, words: ['diff', '--server-side', '--force-conflicts', '-f', changed], accepted: [1] },
        changed: apply(changed),
        destroy: { file, words: ['delete', '--wait=false', '-f', changed] },
      };
    },
  };
}

/** Flux, as the program of test/peers/flux calls its library. */
export function flux(file: string, version: string): PeerTool {
  return {
    id: 'flux',
    title: `Flux \`ssa\` ${version}`,
    ...all,
    async prepare(assignment) {
      const [manifests, changed] = await writeManifests(assignment);
      const command = (verb: string, documents: string): Command => ({ file, words: [verb, documents] });
      return {
        create: command('apply', manifests),
        unchanged: command('apply', manifests),
        preview: command('diff', changed),
        changed: command('apply', changed),
        destroy: command('delete', changed),
      };
    },
  };
}

/** Helm, with server-side apply and without a limit of its own. */
export function helm(file: string, version: string): PeerTool {
  const limits = ['--qps', '100000', '--burst-limit', '100000'];
  return {
    id: 'helm',
    title: `Helm ${version}`,
    ...all,
    incomparable: { preview: 'renders, compares nothing' },
    async prepare({ directory, objects, changed }) {
      const chart = await writeChart(path.join(directory, 'chart'), objects);
      const changedChart = await writeChart(path.join(directory, 'changed'), changed);
      const release = ['bench', '--namespace', namespaceOf(objects[0]!), ...limits];
      const apply = (verb: 'install' | 'upgrade', directoryOfChart: string, flags: readonly string[]): Command => {
        const [name, ...rest] = release as [string, ...string[]];
        return { file, words: [verb, name, directoryOfChart, ...rest, '--server-side=true', '--force-conflicts', ...flags] };
      };
      return {
        create: apply('install', chart, []),
        unchanged: apply('upgrade', chart, []),
        preview: apply('upgrade', changedChart, ['--dry-run=server']),
        changed: apply('upgrade', changedChart, []),
        destroy: { file, words: ['uninstall', ...release] },
      };
    },
  };
}

async function writeManifests({ directory, objects, changed }: Assignment): Promise<[string, string]> {
  const files: [string, string] = [path.join(directory, 'manifests.yaml'), path.join(directory, 'changed.yaml')];
  await writeFile(files[0], documentsOf(objects));
  await writeFile(files[1], documentsOf(changed));
  return files;
}

async function writeChart(directory: string, objects: readonly JsonObject[]): Promise<string> {
  await mkdir(path.join(directory, 'templates'), { recursive: true });
  await writeFile(path.join(directory, 'Chart.yaml'), stringify({ apiVersion: 'v2', name: 'bench', version: '1.0.0' }));
  await writeFile(path.join(directory, 'templates', 'all.yaml'), documentsOf(objects));
  return directory;
}

function documentsOf(objects: readonly JsonObject[]): string {
  return objects.map((object) => `---\n${stringify(object)}`).join('');
}

function namespaceOf(object: JsonObject): string {
  return (object.metadata as { readonly namespace: string }).namespace;
}
