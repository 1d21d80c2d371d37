import type { Command } from 'commander';
import { FieldwiseError } from '../../util/error.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../cluster/open-cluster.js';
import { addFileFlag, appNameHelp } from '../config/document-source.js';
import {
  addEnvironmentFlag,
  addInstanceFlag,
  configHelp,
  jsonOption,
  type OutputFileFlag,
  outputFileOf,
  outputFileOption,
} from '../config/flags.js';
import type { NamedDocument } from '../documents/named-documents.js';
import { simulationFor } from '../files/plan-file.js';
import type { OwnersPage } from '../html/owners-page.js';
import type { OwnersLine } from '../json/lines.js';
import type { Host } from '../process/host.js';

interface OwnersFlags extends ClusterFlags, OutputFileFlag {
  readonly file?: readonly string[];
  readonly stack?: string;
  readonly name?: string;
  readonly without?: string;
  readonly json?: boolean;
  readonly config?: string;
  readonly env?: string;
  readonly instance?: string;
}

/** Adds `fieldwise owners`. */
export function registerOwners(program: Command, host: Host): void {
  const command = program
    .command('owners')
    .summary('show every field of objects with its owners')
    .description('Shows every field of objects with its owners: stacks by their names, others by their field managers. Needs no program.')
    .argument(
      '[what...]',
      'stacks (NAME or APP/INSTANCE/NAME) and objects (KIND/NAME) to show (default: the objects of all stacks; if fieldwise.yaml has `name`, only of that app)',
    );
  addFileFlag(addInstanceFlag(addEnvironmentFlag(addClusterFlags(command))), 'show the objects of documents')
    .option('--stack <name>', 'show the objects that this stack of documents has deployed')
    .option('--name <app>', appNameHelp)
    .option('--without <stack>', 'show the effect if this stack released its fields, instead of the owners')
    .option('--config <file>', configHelp)
    .addOption(jsonOption('text, or json: one object per line; the last line is the summary, except with --without (default: text)'))
    .addOption(
      outputFileOption('write a page for a browser to a file, such as html=owners.html; without -o json, print only the summary', ['html']),
    )
    .action(async (words: readonly string[], flags: OwnersFlags) => {
      const { loadConfig } = await import('../config/config.js');
      const { file, without, json, outputFile = [], ...settings } = flags;
      const html = outputFileOf({ outputFile }, 'html');
      const page = html === undefined ? undefined : await ownersPageFile(html, host, without);
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags: settings });
      const names = settings.stack === undefined ? words : [...words, settings.stack];
      const { owners, releases } = await import('../../inspect/owners/owners.js');
      const cluster = await openCluster(config);
      try {
        const documents = file === undefined ? [] : await documentsOf(file, host, cluster.defaultNamespace);
        const objects = documents.map(({ identity }) => identity);
        const declared = documents.map(({ object }) => object);
        const { name: app, instance, inventory } = config;
        const options = { names, objects, declared, app, instance, inventoryNamespace: inventory.namespace };
        if (without !== undefined) {
          const events = json
            ? (await import('../render/json-renderer.js')).jsonRenderer<OwnersLine>(host)
            : (await import('../render/plan-renderer.js')).planRenderer(host);
          host.setExitCode(await releases(cluster, { ...options, without, simulate: simulationFor(cluster) }, events));
          return;
        }
        const events = json
          ? (await import('../render/json-renderer.js')).jsonRenderer<OwnersLine>(host)
          : (await import('../render/owners-renderer.js')).ownersRenderer(host, page !== undefined);
        const { exitCode } = await owners(cluster, { ...options, ...(page ? { onTree: page.add } : {}) }, events);
        if (page) {
          const { pageSubject } = await import('../html/page-subject.js');
          await page.write(pageSubject('Owners', { ...cluster, app, environment: config.environment }));
        }
        host.setExitCode(exitCode);
      } finally {
        cluster.close();
      }
    });
}

async function documentsOf(paths: readonly string[], host: Host, defaultNamespace: string): Promise<readonly NamedDocument[]> {
  const { namedDocuments } = await import('../documents/named-documents.js');
  return namedDocuments(paths, host, defaultNamespace);
}

/** Checks the flags of a page, which shows the effect of `--without` for every stack. */
async function ownersPageFile(file: string, host: Host, without: string | undefined): Promise<OwnersPage> {
  if (without !== undefined) {
    throw new FieldwiseError('flag-without-use', 'usage', '`--output-file html=FILE` has no effect with `--without`', {
      next: 'Leave out `--without`: in the page, choose the stack that lets go of its fields.',
    });
  }
  const { ownersPage } = await import('../html/owners-page.js');
  return ownersPage(file, host);
}
