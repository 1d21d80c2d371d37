import { randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { EmbeddedApiServer } from '../../lib/src/apiserver/index.js';

// The embedded API server in a process of its own: writes a kubeconfig where it is told to, whole or not at all, and serves from memory
// until its standard input ends or it is told to stop. At a socket beside it, POST makes another server of its present state, and answers with a kubeconfig for it and
// a path; DELETE of that path stops it.
const [kubeconfig] = process.argv.slice(2) as [string];
const cluster = await EmbeddedApiServer.start();
const forks = new Map<string, EmbeddedApiServer>();
createServer((request, response) => {
  const answer = async () => {
    if (request.method !== 'POST') {
      await forks.get(String(request.url))?.stop();
      forks.delete(String(request.url));
      return {};
    }
    const path = `/${randomUUID()}`;
    const fork = await EmbeddedApiServer.start({ snapshot: cluster.snapshot(), controllers: false });
    forks.set(path, fork);
    return { path, kubeconfig: fork.kubeconfig };
  };
  answer().then(
    (body) => response.end(JSON.stringify(body)),
    (error) => response.writeHead(500).end(String(error)),
  );
}).listen(`${kubeconfig}.forks`);
writeFileSync(`${kubeconfig}.new`, cluster.kubeconfig, { mode: 0o600 });
renameSync(`${kubeconfig}.new`, kubeconfig);
const stop = () => void cluster.stop().finally(() => process.exit(0));
process.on('SIGTERM', stop).on('SIGINT', stop);
process.stdin.on('end', stop).resume();
