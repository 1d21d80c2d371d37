import { readFlags } from '../harness/script-flags.js';
import { compareDiscovery } from './compare-discovery.js';
import { comparePaths } from './compare-paths.js';
import { compareTables } from './compare-tables.js';
import { compareVersions } from './compare-versions.js';
import { agedEvents, createObjects, readObjects } from './objects.js';
import { startServers } from './servers.js';

const usage = `Usage: npm run campaign -- tables
Creates objects of every kind on a real API server and on the embedded one, and prints every difference of their Tables and discovery.`;
readFlags(usage, { options: {} });

const servers = await startServers();
let failed = 0;
try {
  const objects = [...readObjects(), ...agedEvents(Date.now())];
  const refused = await createObjects([servers.real, servers.embedded], objects);
  for (const line of refused) process.stdout.write(`refused by ${line}\n`);
  const comparisons = [
    ...(await compareTables(servers, objects)),
    ...(await compareDiscovery(servers)),
    ...(await comparePaths(servers)),
    ...(await compareVersions(servers)),
  ];
  for (const { what, difference } of comparisons) if (difference !== undefined) process.stdout.write(`${what}\n${difference}\n`);
  const different = comparisons.filter(({ difference }) => difference !== undefined).length;
  failed = different + refused.length;
  process.stdout.write(`${comparisons.length - different} passed, ${failed} failed\n`);
} finally {
  await servers.stop();
}
process.exitCode = failed === 0 ? 0 : 1;
