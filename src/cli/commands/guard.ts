import type { Command } from 'commander';
import { FieldwiseError } from '../../util/error.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../cluster/open-cluster.js';
import type { Config } from '../config/config.js';
import { addProgramOptions, jsonOption, type OutputFileFlag, outputFileOf, outputFileOption } from '../config/flags.js';
import type { GuardLine } from '../json/lines.js';
import type { Host } from '../process/host.js';
import { synthesize } from '../program/synthesize.js';
import { onOneLine } from '../render/printable.js';

interface GuardFlags extends ClusterFlags, OutputFileFlag {
  readonly deployer?: readonly string[];
  readonly deny?: boolean;
  readonly breakGlass?: string;
  readonly check?: boolean;
  readonly json?: boolean;
}

/** Adds `fieldwise guard`. */
export function registerGuard(program: Command, host: Host): void {
  const command = program
    .command('guard')
    .summary('print admission policies that keep the fields of stacks for their deployers')
    .description(
      'Prints ValidatingAdmissionPolicies and their bindings, as YAML: only the deployers of a stack may change the fields that it declares, create or delete the objects that it owns. Everything else in these objects stays open to others, and so do fields under the policy `yield`.',
    )
    .argument('[stacks...]', 'names of stacks (groups of objects) to guard (default: all stacks of the program)');
  addClusterFlags(addProgramOptions(command))
    .option(
      '--deployer <subject>',
      'who may change the fields: the name of a user, group:NAME, or sa:NAMESPACE/NAME for a service account; repeatable (default: `guard.deployers` in fieldwise.yaml, else the service account fieldwise in the namespace of the inventories)',
      (subject: string, before: string[] = []) => [...before, subject],
    )
    .option('--deny', 'deny changes by others, and list the managers that this would stop (default: warn, and write to the audit log)')
    .option(
      '--break-glass <group>',
      'with --deny: required; a group whose members may change guarded fields in an emergency (default: `guard.breakGlass` in fieldwise.yaml)',
    )
    .addOption(outputFileOption('write the policies to a file, such as yaml=guard.yaml (default: print them)', ['yaml']))
    .option(
      '--check',
      'instead of printing policies, compare those in the cluster with the program, and exit with 1 if a guard does not cover a field that its stack declares, or covers one that it no longer declares, if a policy or binding of it is missing or has been changed, or if a named stack has no guard, or no stack although fieldwise.yaml has `guard`',
    )
    .addOption(jsonOption('with --check: text, or json: the guard of each stack, one per line (default: text)'))
    .action(async (stacks: readonly string[], flags: GuardFlags) => {
      const { loadConfig } = await import('../config/config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      if (flags.check) return checkedGuards(stacks, { config, json: flags.json === true }, host);
      if (flags.json)
        throw new FieldwiseError('flag-without-use', 'usage', '`-o json` has no effect without `--check`', {
          next: 'Leave it out: policies are printed as YAML.',
        });
      const text = await guardText(stacks, flags, config, host);
      const file = outputFileOf(flags, 'yaml');
      if (file === undefined) return host.data(text);
      const { writeText } = await import('../files/plan-file.js');
      await writeText(host, file, text);
      host.stderr(`the policies are in ${file}\n`);
    });
}

async function checkedGuards(
  stacks: readonly string[],
  { config, json }: { readonly config: Config; readonly json: boolean },
  host: Host,
): Promise<void> {
  const [{ checkGuards, guardProblems }, { areGuardsLost, guardsLostText }] = await Promise.all([
    import('../../inspect/guard/index.js'),
    import('../render/guards-lost.js'),
  ]);
  const assembly = await synthesize({ host, config });
  const cluster = await openCluster(config);
  try {
    const guards = await checkGuards(assembly, cluster, { stacks });
    const areLost = areGuardsLost(guards, config);
    const isWanted = ({ state }: (typeof guards)[number]) => state === 'stale' || (state === 'none' && (stacks.length > 0 || areLost));
    const line = json ? (await import('../render/json-renderer.js')).jsonRenderer<GuardLine>(host) : undefined;
    for (const guard of guards) {
      if (line) line({ event: 'guard', ...guard });
      if (line) continue;
      const problems = isWanted(guard) && !areLost ? guardProblems(guard) : [];
      for (const problem of problems) host.stdout(`${onOneLine(problem)}\n`);
      if (guard.state === 'current') host.stdout(`the guard of stack ${onOneLine(guard.stack)} covers what it declares\n`);
    }
    if (guards.every(({ state }) => state === 'none') && stacks.length === 0 && !json)
      host.stdout(areLost ? `${guardsLostText}\n` : 'no stack of the program has a guard\n');
    if (!guards.some(isWanted)) return;
    const { guardCommand } = await import('../render/guard-command.js');
    const again = guards.filter(isWanted).map((guard) => `\`${guardCommand(guard)}\``);
    host.stderr(`Print the guards again, and apply them: ${again.join(', ')} (docs/guard.md).\n`);
    host.setExitCode(1);
  } finally {
    cluster.close();
  }
}

async function guardText(stacks: readonly string[], flags: GuardFlags, config: Config, host: Host): Promise<string> {
  const { guardAdvice, guardsOf, stoppedManagers, subjectsOf } = await import('../../inspect/guard/index.js');
  const deployers = subjectsOf(flags.deployer ?? config.guard.deployers ?? [`sa:${config.inventory.namespace}/fieldwise`]);
  const breakGlass = flags.breakGlass ?? config.guard.breakGlass;
  const deny = flags.deny === true;
  if (deny && breakGlass === undefined) throw breakGlassMissing();
  const assembly = await synthesize({ host, config });
  const { yamlWriter } = await import('../../synth/yaml.js');
  const cluster = await openCluster(config);
  try {
    const options = { stacks, deployers, deny, ...(breakGlass === undefined ? {} : { breakGlass }) };
    const { steps, ...guards } = await guardsOf(assembly, cluster, options);
    const found = deny ? await stoppedManagers(assembly, cluster, steps) : { stopped: [], unread: [] };
    const advice = guardAdvice({ ...guards, deny, ...found }).map((line) => `# ${line}\n`);
    return `${advice.join('')}${guards.manifests.map(yamlWriter()).join('---\n')}`;
  } finally {
    cluster.close();
  }
}

function breakGlassMissing(): FieldwiseError {
  return new FieldwiseError('break-glass-missing', 'usage', '`--deny` without a group that may change guarded fields in an emergency', {
    next: 'Name one with --break-glass, or with `guard.breakGlass` in fieldwise.yaml: otherwise nobody can help when the deployer cannot deploy.',
  });
}
