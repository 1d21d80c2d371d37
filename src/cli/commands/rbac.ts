import type { Command } from 'commander';
import type { Host } from '../host.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../open-cluster.js';
import { addProgramOptions, synthesize } from './synth.js';

interface RbacFlags extends ClusterFlags {
  readonly readOnly?: boolean;
  readonly subject?: string;
  readonly reconcile?: string;
  readonly pruneStacks?: boolean;
  readonly deleteForeign?: boolean;
}

/** Adds `fieldwise rbac`. */
export function registerRbac(program: Command, host: Host): void {
  const command = program
    .command('rbac')
    .description('print roles and bindings with exactly the rights that diff, deploy and destroy need')
    .argument('[stacks...]', 'stacks to be deployed (default: all of the program)');
  addClusterFlags(addProgramOptions(command))
    .option('--read-only', 'only what diff needs')
    .option(
      '--subject <subject>',
      'who gets them: a user, or sa:NAMESPACE/NAME (default: the service account fieldwise of the inventories’ namespace)',
    )
    .option('--reconcile <which>', 'as in deploy')
    .option('--prune-stacks', 'as in deploy')
    .option('--delete-foreign', 'as in deploy')
    .action(async (stacks: readonly string[], flags: RbacFlags) => {
      const { loadConfig } = await import('../config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      const { adviceOn, rightsOf, roleManifests, roleName, subjectOf } = await import('../../inspect/rbac/index.js');
      const namespace = config.inventory.namespace;
      const subject = subjectOf(flags.subject ?? `sa:${namespace}/fieldwise`);
      const assembly = await synthesize({ host, config });
      const { yamlOf } = await import('../../synth/yaml.js');
      const cluster = await openCluster(config);
      try {
        const readOnly = flags.readOnly === true;
        const rights = await rightsOf(assembly, cluster, {
          stacks,
          readOnly,
          inventoryNamespace: namespace,
          reconcile: config.reconcile,
          pruneStacks: flags.pruneStacks === true,
          deleteForeign: flags.deleteForeign === true,
        });
        const { app, instance } = assembly.manifest;
        const manifests = roleManifests(rights, roleName(app, instance, stacks, readOnly), subject);
        const advice = adviceOn(rights, assembly, stacks, namespace).map((line) => `# ${line}\n`);
        host.raw.stdout(`${advice.join('')}${manifests.map(yamlOf).join('---\n')}`);
      } finally {
        cluster.close();
      }
    });
}
