import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';
import type { BareRequest, Connection } from '../bare-loop.js';
import type { Command } from './cost.js';

/** The bare loop as a program of its own. It is compiled, so that its memory is that of Node and of the loop. */
export class BareLoopProgram {
  private constructor(readonly directory: string) {}

  static async compile(directory: string, connection: Connection): Promise<BareLoopProgram> {
    const program = new BareLoopProgram(path.join(directory, 'bare-loop'));
    await mkdir(program.directory);
    for (const name of ['bare-loop', 'bare-loop-process']) {
      const source = await readFile(new URL(`../${name}.ts`, import.meta.url), 'utf8');
      const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
      await writeFile(path.join(program.directory, `${name}.js`), ts.transpileModule(source, { compilerOptions }).outputText);
    }
    await writeFile(path.join(program.directory, 'package.json'), '{ "type": "module" }');
    await writeFile(path.join(program.directory, 'connection.json'), JSON.stringify(connection));
    return program;
  }

  /** Writes requests to a file, and returns the command that sends them. */
  async command(file: string, requests: readonly BareRequest[]): Promise<Command> {
    await writeFile(file, requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
    const words = [path.join(this.directory, 'bare-loop-process.js'), path.join(this.directory, 'connection.json'), file];
    return { file: process.execPath, words };
  }
}
