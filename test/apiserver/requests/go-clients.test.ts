import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findOnPath } from '../../harness/binaries.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/**
 * Typed Go clients, with the content types that client-go and controller-runtime choose: the program in test/clients/go prints what it
 * gets, and `expected.txt` has what a kube-apiserver 1.36.3 lets it print.
 */
const testEnvironment = await TestEnvironment.create('go-clients');
const go = findOnPath('go', process.env);
if (go === undefined) process.stderr.write('Typed Go clients are not tested: there is no go on PATH.\n');
const module = fileURLToPath(new URL('../../clients/go', import.meta.url));

test.skipIf(go === undefined)(
  'a typed Go program prints the same on both servers',
  async () => {
    const program = join(testEnvironment.directory, 'clients');
    await output(go as string, ['build', '-trimpath', '-o', program, '.'], { cwd: module });
    const { namespace, kubeconfig } = testEnvironment;
    for (const each of ['json', 'protobuf']) testEnvironment.removeNamespaceLater(`${namespace}-${each}`);
    const text = await output(program, [namespace], { env: { ...process.env, KUBECONFIG: kubeconfig } });
    await expect(text.replaceAll(namespace, 'NAMESPACE')).toMatchFileSnapshot('../../clients/go/expected.txt');
    // The first build on a machine downloads and compiles client-go.
  },
  600_000,
);

function output(
  command: string,
  words: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let [text, issues] = ['', ''];
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => (issues += chunk));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(text) : reject(new Error(`${command} ended with ${code}: ${issues}${text}`))));
  });
}
