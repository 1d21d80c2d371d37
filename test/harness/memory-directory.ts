import { existsSync, readFileSync, statfsSync } from 'node:fs';

const directory = '/dev/shm';

/** A directory whose files are in memory; undefined where there is none, or it is small, or runs no programs, as in many containers. */
export function memoryDirectory(): string | undefined {
  if (!existsSync(directory) || !existsSync('/proc/mounts')) return undefined;
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, place]) => place === directory);
  const [, , , options = ''] = mount ?? [];
  const { bavail, bsize } = statfsSync(directory);
  const runsPrograms = mount !== undefined && !options.split(',').includes('noexec');
  return runsPrograms && options.startsWith('rw') && bavail * bsize > 2 ** 31 ? directory : undefined;
}
