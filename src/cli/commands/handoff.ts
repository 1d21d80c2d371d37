import type { Command } from 'commander';
import { managersOf } from '../../assembly/identity.js';
import type { HandoffResult } from '../../deploy/index.js';
import { exitCodeOf } from '../../util/error.js';
import { reportFailure, runWithReport } from '../files/report-file.js';
import { addStrategyFlag } from '../flags.js';
import type { Host } from '../host.js';
import type { HandoffLine } from '../json/lines.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../open-cluster.js';
import type { OutputFileFlag } from '../output-file-option.js';
import { jsonRenderer } from '../render/json-renderer.js';
import { quoted } from '../render/printable.js';
import { addRunFlags, addRunOutput, eventsOf, runOptions, withReport } from './deploy.js';
import { addProgramOptions, synthesize } from './synth.js';

interface HandoffFlags extends ClusterFlags, OutputFileFlag {
  readonly from: string;
  readonly to: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly yes?: boolean;
  readonly prune?: boolean;
  readonly concurrency?: number;
  readonly waitLock?: number | true;
  readonly report?: string;
}

/** Adds `fieldwise handoff`. */
export function registerHandoff(program: Command, host: Host): void {
  const command = program
    .command('handoff')
    .summary('transfer fields to a stack, from another stack or field manager')
    .description(
      'Transfers fields from a previous owner to a stack of the program, so that the fields have an owner at every moment. Applies only the objects whose fields are transferred, and changes no value.',
    )
    .argument(
      '[what...]',
      'objects (Kind/name) and field paths (.spec.replicas) to transfer (default: all fields that the new owner declares)',
    )
    .requiredOption(
      '--from <stack>',
      'required; previous owner: a stack of the program or of the cluster, or manager:NAME for any field manager that applies',
    )
    .requiredOption('--to <stack>', 'required; new owner: a stack of the program');
  addRunOutput(addRunFlags(addStrategyFlag(addClusterFlags(addProgramOptions(command))))).action(
    async (limits: readonly string[], _: HandoffFlags, self: Command) => {
      const flags = withReport(self.optsWithGlobals<HandoffFlags>());
      const { loadConfig } = await import('../program/config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      const assembly = await reportFailure(flags, host, { ...config, verb: 'deploy' }, () => synthesize({ host, config }));
      const { handoff } = await import('../../deploy/handoff/handoff.js');
      const cluster = await openCluster({ ...config, concurrency: flags.concurrency });
      try {
        const { from, to } = flags;
        const references = { env: host.env, directory: config.directory };
        const options = { from, to, limits, references, inventoryNamespace: config.inventory.namespace, ...runOptions(flags, host) };
        const result = await runWithReport(
          flags,
          host,
          { ...assembly.manifest, server: cluster.server },
          await eventsOf(flags, host, { ...config, kubeContext: cluster.kubeContext }),
          (to) => handoff(assembly, cluster, options, to),
        );
        if (result === undefined) return;
        const { deployed, objects } = result;
        const json = flags.json ? jsonRenderer<HandoffLine>(host) : undefined;
        for (const object of objects)
          if (json) json({ event: 'transferred', ...object });
          else host.stdout(transferResultText(quoted(object)));
        const managers = assembly.manifest.stacks.flatMap(managersOf);
        if (!flags.json) for (const object of objects) host.stderr(warning(quoted(object), managers));
        host.setExitCode(deployed.ok && objects.some(({ error }) => error) ? exitCodeOf('resource') : deployed.exitCode);
      } finally {
        cluster.close();
      }
    },
  );
}

function transferResultText({ object, from, to, fields, lifecycleTransferred, error }: HandoffResult): string {
  if (error) return `FAILED ${object}: ${error.message} [${error.code}]\n${error.next ? `  ${error.next}\n` : ''}`;
  const whole = lifecycleTransferred ? '  the new owner now has the right to delete the object\n' : '';
  if (fields.length === 0) return `${object}: ${from} owns none of the fields that ${to} declares\n${whole}`;
  return `${object}: from ${from} to ${to}\n${fields.map((field) => `  ${field}\n`).join('')}${whole}`;
}

function warning({ object, from, fields, stillDeclared }: HandoffResult, managers: readonly string[]): string {
  if (fields.length > 0 && !managers.includes(from))
    return `warning: ${from} is not of this program. Remove ${fields.join(', ')} of ${object} from what it applies: otherwise its next apply will own these fields again.\n`;
  if (stillDeclared.length === 0) return '';
  return `warning: the previous owner still declares ${stillDeclared.join(', ')} of ${object}, and its next deploy will own these fields again. Remove them from its program.\n`;
}
