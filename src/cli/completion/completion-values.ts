import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest } from '../../assembly/types.js';
import type { Host } from '../process/host.js';

/** Lists of names that a shell asks for while a person types. */
export const valueLists = ['environments', 'contexts', 'stacks', 'runs'] as const;

export type ValueList = (typeof valueLists)[number];

/**
 * Returns the names in a list: the environments of the configuration, the contexts of the kubeconfig, the stacks of the last synth, or the runs in
 * their history, the last one first. None where they cannot be read: an error would be printed into the line that somebody types.
 */
export async function completionValues(list: ValueList, host: Host): Promise<readonly string[]> {
  try {
    return (await readers[list](host)).filter((name) => /^[\w./:@%+-]{1,253}$/.test(name)); // others would be several words, or code of the shell
  } catch {
    return [];
  }
}

const readers: Readonly<Record<ValueList, (host: Host) => Promise<readonly string[]>>> = {
  async environments(host) {
    return (await configOf(host)).environments;
  },
  async contexts(host) {
    const { readKubeConfig } = await import('../../kubernetes/kubeconfig/read-kubeconfig.js');
    const { kubeconfig } = await configOf(host).catch(() => ({ kubeconfig: undefined }));
    return (await readKubeConfig(kubeconfig, host.env)).contexts.map(({ name }) => name);
  },
  async stacks(host) {
    return (await manifestIn(await configOf(host))).stacks.map(({ name }) => name);
  },
  async runs(host) {
    const config = await configOf(host);
    const manifest = await manifestIn(config);
    const { embeddedDirectory, openCluster } = await import('../cluster/open-cluster.js');
    if (config.cluster === 'embedded' && !existsSync(embeddedDirectory(config.directory))) return []; // a server would create it
    const { pin, ...unpinned } = config;
    const opened = await openCluster(unpinned);
    try {
      const cluster = opened.withContext({ signal: AbortSignal.timeout(longestReadMs) });
      if (pin !== undefined) await (await import('../cluster/check-cluster-pin.js')).checkClusterPin(cluster, pin);
      const { listRevisions } = await import('../../inspect/history/history.js');
      const options = { stacks: [], inventoryNamespace: config.inventory.namespace };
      const revisions = await listRevisions({ manifest, objects: [] }, cluster, options, () => undefined);
      const newest = [...revisions].sort((left, right) => Date.parse(right.at) - Date.parse(left.at));
      return [...new Set(newest.flatMap(({ run }) => run ?? []))];
    } finally {
      opened.close();
    }
  },
};

/** The longest wait for a word in a line that somebody types. */
const longestReadMs = 3_000;

async function manifestIn({ output }: { readonly output: string }): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(output, 'manifest.json'), 'utf8')) as Manifest;
}

async function configOf({ cwd, env }: Host) {
  const { loadConfig } = await import('../config/config.js');
  return loadConfig({ cwd, env });
}
