import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Host } from '../../src/cli/process/host.js';
import { registerCommands } from '../../src/cli/register-commands.js';
import { createProgram } from '../../src/cli/run-cli.js';
import { root } from './command.js';
import { commandLinePage } from './command-line-page.js';
import { type ConfigurationSchema, configurationPage } from './configuration-page.js';
import { DocumentedTypes } from './documented-types.js';
import { environmentPage } from './environment-page.js';

const environmentVariables = 'src/util/environment-variables.ts';

/** Returns the generated pages of docs/reference by file name. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  const schema = JSON.parse(readFileSync(join(root, 'schema/fieldwise.schema.json'), 'utf8')) as ConfigurationSchema;
  const types = new DocumentedTypes(root, [environmentVariables]);
  return {
    'cli.md': commandLinePage(await allCommands()),
    'configuration.md': configurationPage(schema),
    'environment-variables.md': environmentPage(types.members(environmentVariables, 'EnvironmentVariables')),
  };
}

/** Returns the command line with all its commands; none of them can run. */
export async function allCommands(): Promise<Command> {
  const program = createProgram();
  const silent = { stdout: () => {}, stderr: () => {} };
  await registerCommands(program, silent as unknown as Host, []);
  return program;
}

/** Writes the generated pages of docs/reference. */
export async function writeReferencePages(): Promise<void> {
  for (const [name, text] of Object.entries(await referencePages())) writeFileSync(pathOf(name), text);
}

/** Names the pages of docs/reference that differ from the sources. */
export async function referencePageDrift(): Promise<string[]> {
  return Object.entries(await referencePages()).flatMap(([name, text]) =>
    existsSync(pathOf(name)) && readFileSync(pathOf(name), 'utf8') === text
      ? []
      : [`docs/reference/${name}: differs from the sources; run npm run docs:tables and commit`],
  );
}

function pathOf(name: string): string {
  return join(root, 'docs/reference', name);
}
