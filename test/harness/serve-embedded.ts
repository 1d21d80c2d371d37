import { renameSync, writeFileSync } from 'node:fs';
import { EmbeddedApiServer } from '../../lib/src/apiserver/index.js';

// The embedded API server in a process of its own: writes a kubeconfig where it is told to, whole or not at all, and serves from memory
// until its standard input ends or it is told to stop.
const [kubeconfig] = process.argv.slice(2) as [string];
const cluster = await EmbeddedApiServer.start();
writeFileSync(`${kubeconfig}.new`, cluster.kubeconfig, { mode: 0o600 });
renameSync(`${kubeconfig}.new`, kubeconfig);
const stop = () => void cluster.stop().finally(() => process.exit(0));
process.on('SIGTERM', stop).on('SIGINT', stop);
process.stdin.on('end', stop).resume();
