import type { Command } from 'commander';
import { commandGroupOf } from './config/help-groups.js';
import type { Host } from './process/host.js';

type Register = (program: Command, host: Host) => void;

/** All commands, in the order of the help. */
const commands = new Map<string, () => Promise<Register>>([
  ['init', async () => (await import('./commands/init.js')).registerInit],
  ['import', async () => (await import('./commands/import.js')).registerImport],
  ['synth', async () => (await import('./commands/synth.js')).registerSynth],
  ['diff', async () => (await import('./commands/diff.js')).registerDiff],
  ['deploy', async () => (await import('./commands/deploy.js')).registerDeploy],
  ['history', async () => (await import('./commands/history.js')).registerHistory],
  ['rollback', async () => (await import('./commands/rollback.js')).registerRollback],
  ['destroy', async () => (await import('./commands/destroy.js')).registerDestroy],
  ['list', async () => (await import('./commands/list.js')).registerList],
  ['owners', async () => (await import('./commands/owners.js')).registerOwners],
  ['explain', async () => (await import('./commands/explain.js')).registerExplain],
  ['adopt', async () => (await import('./commands/adopt.js')).registerAdopt],
  ['status', async () => (await import('./commands/status.js')).registerStatus],
  ['drift', async () => (await import('./commands/drift.js')).registerDrift],
  ['rbac', async () => (await import('./commands/rbac.js')).registerRbac],
  ['guard', async () => (await import('./commands/guard.js')).registerGuard],
  ['doctor', async () => (await import('./commands/doctor.js')).registerDoctor],
  ['cluster', async () => (await import('./commands/cluster.js')).registerCluster],
  ['completion', async () => (await import('./commands/completion.js')).registerCompletion],
  ['comment', async () => (await import('./commands/comment.js')).registerComment],
  ['snapshot', async () => (await import('./commands/snapshot.js')).registerSnapshot],
]);

/**
 * Registers the command that the words name, and loads no other. Registers all commands if the words name none, as for the help, or name
 * `completion`, which lists all. Relies on global options having no values.
 */
export async function registerCommands(program: Command, host: Host, words: readonly string[]): Promise<void> {
  const named = words.find((word) => !word.startsWith('-'));
  const one = named === undefined || named === 'completion' ? undefined : commands.get(named);
  const loads = one ? [one] : [...commands.values()];
  for (const register of await Promise.all(loads.map((load) => load()))) register(program, host);
  program.helpCommand('help [command]', 'print the help of a command');
  for (const command of program.createHelp().visibleCommands(program)) command.helpGroup(commandGroupOf(command.name()));
}
