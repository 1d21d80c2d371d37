import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedApiServer } from 'fieldwise/embedded';
import { inProcess } from '../harness/in-process.js';
import { outputMismatch } from './output-mismatch.js';
import { commandsOf, type PageBlock } from './page-blocks.js';
import { runShell, writeShims } from './shell.js';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** The packages that a project of a page finds. */
const packages = ['cdk8s', 'cdk8s-plus-33', 'constructs', 'vitest', 'typescript', 'yaml', '@types'];

/**
 * Runs a page as its reader would: in an empty directory, block after block. Blocks with a file name are written; commands run, and the text block
 * behind them is what they print. The kubeconfig is that of an embedded API server of the page.
 *
 * @returns what differs from the page, empty if nothing does.
 */
export async function runPage(blocks: readonly PageBlock[]): Promise<string[]> {
  const server = await EmbeddedApiServer.start({});
  const run = new PageRun(server.kubeconfig);
  try {
    for (const block of blocks) {
      const problem = await run.block(block);
      // What follows builds on it.
      if (problem !== undefined) return [`line ${block.line}: ${problem}`];
    }
    return [];
  } finally {
    await run.end();
    await server.stop();
  }
}

class PageRun {
  readonly #directory = mkdtempSync(join(tmpdir(), 'fieldwise-page-'));
  readonly #environment: Record<string, string>;
  #cwd: string;
  #output: string | undefined;

  constructor(kubeconfig: string) {
    // The project is below, so that no command finds the tools of the run.
    this.#cwd = join(this.#directory, 'project');
    mkdirSync(this.#cwd);
    const tools = join(this.#directory, 'tools');
    writeShims(tools, checkout);
    writeFileSync(join(tools, 'kubeconfig'), kubeconfig, { mode: 0o600 });
    // The server runs no controllers that would make anything ready.
    this.#environment = { KUBECONFIG: join(tools, 'kubeconfig'), FIELDWISE_POLICY: '{"wait":false}', PATH: `${tools}:${process.env.PATH}` };
    linkPackages(this.#cwd);
  }

  async block({ language, file, text, marker }: PageBlock): Promise<string | undefined> {
    if (marker?.name === 'not run') return undefined;
    const expected = language === 'text' || language === 'console' ? this.#output : undefined;
    this.#output = undefined;
    if (file !== undefined) return this.#write(file, text);
    if (language === 'sh') return this.#run(commandsOf(text));
    if (expected !== undefined) return outputMismatch(text, expected);
    return `the block is not a file, not a command and not the output of one; name its file, or mark it with <!-- not run: REASON -->`;
  }

  #write(file: string, text: string): undefined {
    const path = resolve(this.#cwd, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return undefined;
  }

  async #run(commands: readonly string[]): Promise<string | undefined> {
    this.#output = '';
    for (const line of commands) {
      const [, command = line, code = '0'] = /^(.*?)\s*# exit code (\d+)$/.exec(line) ?? [];
      const { exitCode, output } = await this.#command(command);
      this.#output += output;
      if (exitCode !== Number(code)) return `\`${command}\` ended with ${exitCode} instead of ${code}:\n${output}`;
    }
    return undefined;
  }

  async #command(command: string): Promise<{ readonly exitCode: number; readonly output: string }> {
    const directory = /^cd (\S+)$/.exec(command)?.[1];
    if (directory !== undefined) {
      this.#cwd = resolve(this.#cwd, directory);
      linkPackages(this.#cwd);
      return { exitCode: 0, output: '' };
    }
    const [, variables = '', rest = command] = /^((?:\w+=\S+ )*)(?:npx )?(.*)$/.exec(command) ?? [];
    const words = wordsOf(rest);
    // The server in the background is a process of its own; everything else is twenty times as fast without one.
    if (words?.[0] === 'fieldwise' && words[1] !== 'cluster') {
      return inProcess(words.slice(1), {
        cwd: this.#cwd,
        environment: { ...this.#environment, ...pairsOf(variables) },
      });
    }
    return runShell(command, { cwd: this.#cwd, environment: this.#environment });
  }

  async end(): Promise<void> {
    await runShell('npx fieldwise cluster stop', { cwd: this.#cwd, environment: this.#environment });
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Makes the packages of the checkout those of a directory, as `npm install` would. */
function linkPackages(directory: string): void {
  const modules = join(directory, 'node_modules');
  mkdirSync(modules, { recursive: true });
  for (const name of packages) link(join(checkout, 'node_modules', name), join(modules, name));
  link(checkout, join(modules, 'fieldwise'));
}

function link(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Returns the words of a command, or undefined if it needs a shell. */
function wordsOf(command: string): string[] | undefined {
  if (/[|&;<>$`*?(){}\\]/.test(command.replaceAll(/'[^']*'/g, ''))) return undefined;
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

/** `A=1 B=2 ` → `{ A: '1', B: '2' }` */
function pairsOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
}
