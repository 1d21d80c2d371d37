import { fstatSync } from 'node:fs';
import { startServer } from './server.js';

// A server to work against by hand: `npx tsx test/harness/start.ts`. Prints its kubeconfig's path, then runs until
// standard input ends, SIGTERM or SIGINT.
const server = await startServer();
process.stdout.write(`${server.kubeconfig}\n`);
let stopping = false;
const stop = async () => {
  if (stopping) return;
  stopping = true;
  await server.stop();
  process.exit(0);
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
// Without a terminal or a pipe (`< /dev/null`) there is nobody whose end could be told.
if (process.stdin.isTTY || fstatSync(0).isFIFO() || fstatSync(0).isSocket()) process.stdin.on('end', stop).resume();
else setInterval(() => {}, 60_000);
