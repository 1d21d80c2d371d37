import type { Command } from 'commander';
import { FieldwiseError } from '../../util/error.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../cluster/open-cluster.js';
import { addProgramOptions, type Deletable, deleteOption, deletionOptions } from '../config/flags.js';
import type { Host } from '../process/host.js';
import { synthesize } from '../program/synthesize.js';

interface RbacFlags extends ClusterFlags {
  readonly readOnly?: boolean;
  readonly history?: boolean;
  readonly subject?: string;
  readonly reconcile?: string;
  readonly pruneStacks?: boolean;
  readonly delete?: readonly Deletable[];
  readonly causes?: boolean;
}

const noCauses =
  'omit the optional permissions to list pods and events and to read logs, with which a deploy says why a workload does not become ready';

/** Adds `fieldwise rbac`. */
// Longer than 60 lines because most of them describe flags, one after another.
export function registerRbac(program: Command, host: Host): void {
  const command = program
    .command('rbac')
    .summary('print the RBAC roles that diff, deploy and destroy need')
    .description(
      'Prints RBAC roles and role bindings, as YAML, with exactly the permissions that diff, deploy and destroy of these stacks need.',
    )
    .argument('[stacks...]', 'names of stacks (groups of objects) that will be deployed (default: all stacks of the program)');
  addClusterFlags(addProgramOptions(command))
    .option('--read-only', 'grant only what `fieldwise diff --read-only` needs (default: what diff, deploy and destroy need)')
    .option(
      '--history',
      'with --read-only: also grant the read of the revisions of the stacks, by name, for `fieldwise history` and `diff --to-revision`. Revisions contain no values of Secrets (default: not granted)',
    )
    .option(
      '--subject <subject>',
      'who is granted the permissions: the name of a user, group:NAME, or sa:NAMESPACE/NAME for a service account (default: the service account fieldwise in the namespace of the inventories)',
    )
    .option(
      '--reconcile <mode>',
      'the mode of the deploys: auto, whose permissions to list objects and the configuration of admission are optional; changed, which lists objects; or full, which lists neither (default: `reconcile` in fieldwise.yaml, else auto)',
    )
    .option(
      '--prune-stacks',
      'also grant what `fieldwise deploy --prune-stacks` needs to destroy stacks that the program no longer declares',
    )
    .addOption(
      deleteOption(
        'for deploys with this flag: foreign omits the permission to list the contents of owned Namespaces and CustomResourceDefinitions; shared changes nothing (default: neither)',
      ),
    )
    .option('--no-causes', noCauses)
    .action(async (stacks: readonly string[], flags: RbacFlags) => {
      if (flags.history && !flags.readOnly) {
        throw new FieldwiseError('flag-without-use', 'usage', '`--history` has no effect without `--read-only`', {
          next: 'Leave it out: the permissions of a deploy include those for its history.',
        });
      }
      const { loadConfig } = await import('../config/config.js');
      const { warningRenderer } = await import('../render/warning-renderer.js');
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
          readsHistory: flags.history === true,
          inventoryNamespace: namespace,
          reconcile: config.reconcile,
          pruneStacks: flags.pruneStacks === true,
          deleteForeign: deletionOptions(flags).deleteForeign,
          causes: flags.causes !== false,
          onWarning: warningRenderer(host),
          ...(config.history ? { history: config.history } : {}),
        });
        const { app, instance } = assembly.manifest;
        const manifests = roleManifests(rights, roleName(app, instance, stacks, readOnly), subject);
        const advice = adviceOn(rights, assembly, stacks, namespace).map((line) => `# ${line}\n`);
        host.data(`${advice.join('')}${manifests.map(yamlOf).join('---\n')}`);
      } finally {
        cluster.close();
      }
    });
}
