import type { Command } from 'commander';
import type { FieldwiseError } from '../../util/error.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../cluster/open-cluster.js';
import { addEnvironmentFlag, configHelp, jsonOption, type OutputFileFlag, outputFileOf, outputFileOption } from '../config/flags.js';
import type { ListLine } from '../json/lines.js';
import type { Host } from '../process/host.js';

interface ListFlags extends ClusterFlags, OutputFileFlag {
  readonly json?: boolean;
  readonly config?: string;
  readonly env?: string;
}

/** Adds `fieldwise list`. */
export function registerList(program: Command, host: Host): void {
  const command = program
    .command('list')
    .summary('list the stacks in the cluster: when and by whom each was deployed, and whether it is ready')
    .description(
      'Lists all stacks in the cluster, of any program, as APP/INSTANCE/STACK: when and by whom each was last deployed and with which result, as its history records it, and whether the objects that it has applied exist and are ready now. Those that are not ready come first, with these objects and their causes. Nothing is known of objects that these credentials may not read. Pending objects are those of an interrupted deploy, which the next deploy completes. A stack whose inventory is damaged is marked, and the exit code is 4; one that a later version of Fieldwise deployed is marked, too. A ConfigMap that only has the label of an inventory is ignored, with a warning. Needs no program.',
    );
  addEnvironmentFlag(addClusterFlags(command))
    .option('--config <file>', configHelp)
    .addOption(
      jsonOption(
        'text, or json: one stack per line, with its field managers and all objects that are not ready, without a summary (default: text)',
      ),
    )
    .addOption(outputFileOption('also write the list as a page for a browser to a file, such as html=stacks.html', ['html']))
    .action(async (flags: ListFlags) => {
      const html = outputFileOf(flags, 'html');
      const page = html === undefined ? undefined : (await import('../html/list-page.js')).listPage(html, host);
      const { loadConfig } = await import('../config/config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      const { observeStacks } = await import('../../inspect/observed-stacks.js');
      const cluster = await openCluster(config);
      try {
        const errors: FieldwiseError[] = [];
        const warn = (await import('../render/warning-renderer.js')).warningRenderer(host);
        const stacks = await observeStacks(cluster, config.inventory.namespace, (error) => errors.push(error), warn);
        if (flags.json) {
          const print = (await import('../render/json-renderer.js')).jsonRenderer<ListLine>(host);
          for (const stack of stacks) print({ event: 'stack', ...stack });
        } else {
          const [{ stacksTable }, { forPeople }] = await Promise.all([
            import('../render/stacks-table.js'),
            import('../render/printable.js'),
          ]);
          forPeople((found: typeof stacks) => host.raw.stdout(stacksTable(found, host)))(stacks);
        }
        if (page) {
          const { pageSubject } = await import('../html/page-subject.js');
          await page.write(stacks, pageSubject('Stacks', cluster));
        }
        if (errors[0]) throw errors[0];
      } finally {
        cluster.close();
      }
    });
}
