import type { Command } from 'commander';
import type { ListedStack } from '../../deploy/index.js';
import type { FieldwiseError } from '../../util/error.js';
import type { Host } from '../host.js';
import type { ListLine } from '../json/lines.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../open-cluster.js';
import { jsonOption } from '../output-option.js';
import { onOneLine } from '../render/printable.js';
import { addEnvironmentFlag, configHelp } from './synth.js';

interface ListFlags extends ClusterFlags {
  readonly json?: boolean;
  readonly config?: string;
  readonly env?: string;
}

/** Adds `fieldwise list`. */
export function registerList(program: Command, host: Host): void {
  const command = program
    .command('list')
    .summary('list the stacks in the cluster')
    .description(
      'Lists all stacks in the cluster, of any program, as APP/INSTANCE/STACK, with the number of objects that each owns and shares. PENDING counts objects of an interrupted deploy, which the next deploy completes; such stacks are first. A stack whose inventory is damaged is marked, and the exit code is 4; one that a later version of Fieldwise deployed is marked, too. Needs no program.',
    );
  addEnvironmentFlag(addClusterFlags(command))
    .option('--config <file>', configHelp)
    .addOption(jsonOption('text, or json: one stack per line, with its field managers and without a summary (default: text)'))
    .action(async (flags: ListFlags) => {
      const { loadConfig } = await import('../program/config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      const { listStacks } = await import('../../inspect/list.js');
      const cluster = await openCluster(config);
      try {
        const errors: FieldwiseError[] = [];
        const stacks = await listStacks(cluster, config.inventory.namespace, (error) => errors.push(error));
        if (flags.json) {
          const print = (await import('../render/json-renderer.js')).jsonRenderer<ListLine>(host);
          for (const stack of stacks) print({ event: 'stack', ...stack });
        } else host.stdout(table(stacks));
        if (errors[0]) throw errors[0];
      } finally {
        cluster.close();
      }
    });
}

/** Returns the table for people: stacks with pending objects first, and the names last, because they may be long. */
export function table(stacks: readonly ListedStack[]): string {
  if (stacks.length === 0) return 'no stacks\n';
  const head = ['OWNED', 'SHARED', 'PENDING'];
  const sorted = [...stacks.filter(({ pending }) => pending > 0), ...stacks.filter(({ pending }) => pending === 0)];
  const rows = sorted.map(({ owned, shared, pending }) => [owned, shared, pending].map(String));
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const names = [
    'STACK',
    ...sorted.map((listed) => {
      const mark = listed.damaged !== undefined ? ' (damaged)' : listed.laterVersion !== undefined ? ' (of a later version)' : '';
      return onOneLine([listed.app, listed.instance, listed.stack].join('/')) + mark;
    }),
  ];
  return [head, ...rows]
    .map((row, index) => `${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')}  ${names[index]}\n`)
    .join('');
}
