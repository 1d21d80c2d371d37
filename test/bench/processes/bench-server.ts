import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findOrBuild, peers } from '../../harness/binaries.js';
import { startEmbedded, startServer } from '../../harness/server.js';
import type { Connection } from '../bare-loop.js';
import { connectionOf } from '../connection.js';
import { BareLoopProgram } from './bare-loop-program.js';
import type { Surroundings } from './cost.js';

/** An API server of the bench's own, and what measures whole processes beside it. */
export interface BenchServer extends Surroundings {
  readonly connection: Connection;
  readonly bareLoop: BareLoopProgram;
  /** The kubectl of the server's version, or the one on PATH. */
  readonly kubectl: string | undefined;
  stop(): Promise<void>;
}

/** Returns the reason in place of a server where nothing can be measured. */
export async function startBenchServer({ embedded = false } = {}): Promise<BenchServer | { readonly skipped: string }> {
  const binaries = await findPeers();
  if (typeof binaries !== 'string') return binaries;
  const environment = { ...process.env, KUBECONFIG_TEST: undefined };
  const server = await (embedded ? startEmbedded(environment) : startServer(environment));
  const directory = await mkdtemp(path.join(tmpdir(), 'fieldwise-bench-'));
  const stop = async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const connection = connectionOf(server.kubeconfig);
    const bareLoop = await BareLoopProgram.compile(directory, connection);
    return { binaries, directory, kubeconfig: server.kubeconfig, kubectl: server.kubectl, connection, bareLoop, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function findPeers(): Promise<string | { readonly skipped: string }> {
  try {
    const found = await findOrBuild(peers, process.env, (line) => process.stderr.write(`peers: ${line}\n`));
    return found ?? { skipped: 'Skipped: Go, which builds the peers and what measures them, is not on PATH.' };
  } catch (error) {
    return { skipped: `Skipped: the peers cannot be built: ${error instanceof Error ? error.message : String(error)}` };
  }
}
