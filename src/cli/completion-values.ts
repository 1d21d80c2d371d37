import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest } from '../assembly/types.js';
import type { Host } from './host.js';

/** Lists of names that a shell asks for while a person types. */
export const valueLists = ['environments', 'contexts', 'stacks'] as const;

export type ValueList = (typeof valueLists)[number];

/**
 * Returns the names in a list: the environments of the configuration, the contexts of the kubeconfig, or the stacks of the last synth. None where
 * they cannot be read: an error would be printed into the line that somebody types.
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
    const { readKubeConfig } = await import('../kubernetes/kubeconfig/read-kubeconfig.js');
    const { kubeconfig } = await configOf(host).catch(() => ({ kubeconfig: undefined }));
    return (await readKubeConfig(kubeconfig, host.env)).contexts.map(({ name }) => name);
  },
  async stacks(host) {
    const file = path.join((await configOf(host)).output, 'manifest.json');
    return (JSON.parse(await readFile(file, 'utf8')) as Manifest).stacks.map(({ name }) => name);
  },
};

async function configOf({ cwd, env }: Host) {
  const { loadConfig } = await import('./program/config.js');
  return loadConfig({ cwd, env });
}
