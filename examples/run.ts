import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbedded, startServer, type TestServer } from '../test/harness/server.js';
import { type Story, tell } from './stage.js';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Names of the examples, in alphabetical order. */
export function exampleNames(): string[] {
  return readdirSync(here).filter((name) => existsSync(join(here, name, 'story.ts')));
}

export async function loadStory(name: string): Promise<Story> {
  return (await import(/* @vite-ignore */ join(here, name, 'story.ts'))).default;
}

/** The API server to tell stories on: the embedded one, or with `--real`, and where KUBECONFIG_TEST names a cluster, a real one. */
function chosenServer(): Promise<TestServer> {
  return process.argv.includes('--real') || process.env.KUBECONFIG_TEST ? startServer() : startEmbedded();
}

/**
 * Tells an example.
 *
 * @returns whether it ended as it promises.
 */
export async function runExample(name: string): Promise<boolean> {
  const story = await loadStory(name);
  const server = await chosenServer();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.stop().then(() => process.exit(130)));
  try {
    await tell(story, {
      kubeconfig: server.kubeconfig,
      directory: join(here, name),
      hasControllers: server.hasControllers,
      write: (text) => void process.stdout.write(text),
    });
    return true;
  } catch (error) {
    process.stderr.write(`\nFAILED: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
    return false;
  } finally {
    await server.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const name = process.argv.slice(2).find((word) => word !== '--real');
  if (name !== undefined && exampleNames().includes(name)) await runExample(name);
  else {
    process.stderr.write(`npm run example -- NAME [--real], where NAME is one of: ${exampleNames().join(', ')}\n`);
    process.exitCode = 2;
  }
}
