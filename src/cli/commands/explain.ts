import type { Command } from 'commander';
import type { WayOut } from '../../inspect/explain/ways-out.js';
import { FieldwiseError } from '../../util/error.js';
import { addClusterFlags, openCluster } from '../cluster/open-cluster.js';
import { addEnvironmentFlag, configHelp, jsonOption } from '../config/flags.js';
import type { LookUpFlags } from '../explain/look-up.js';
import type { LiveSubject, MessageSubject } from '../explain/subject.js';
import type { ExplainLine } from '../json/lines.js';
import type { Host } from '../process/host.js';

interface ExplainFlags extends LookUpFlags {
  readonly file?: string;
  readonly json?: boolean;
}

/** Adds `fieldwise explain`. */
export function registerExplain(program: Command, host: Host): void {
  const command = program
    .command('explain')
    .summary('explain a conflict that kubectl, Helm or another tool printed, or the owners of a field')
    .description(
      'Explains a conflict over fields that kubectl, Helm, Flux, Argo CD, Pulumi, Terraform or Crossplane printed: who owns each field, what each owner does next, and the ways out in that tool and in Fieldwise. If there is a cluster, shows who owns the fields now; a message needs none. Example: helm upgrade web ./chart 2>&1 | fieldwise explain -. Explains fields of a live object in the same way, and what their release would change. Example: fieldwise explain deploy/web .spec.replicas. Changes nothing and needs no program.',
    )
    .argument(
      '[what...]',
      '- for a message on standard input, or the message as one quoted argument, then KIND/NAME if it names no object, as those of kubectl; or KIND/NAME of a live object and paths of its fields',
    )
    .option('-f, --file <path>', 'read the message from this file; - for standard input');
  addEnvironmentFlag(addClusterFlags(command))
    .option('--offline', 'explain a message by its text alone (default: also read the object that it names, if there is a cluster)')
    .option('--config <file>', configHelp)
    .addOption(jsonOption('text, or json: one conflict or field per line; the last line is the summary (default: text)'))
    .action(async (words: readonly string[], flags: ExplainFlags) => {
      const { subjectOf } = await import('../explain/subject.js');
      const subject = subjectOf(words, flags.file);
      const { clusterFlagsText } = await import('../render/cluster-flags-text.js');
      const text = (namespace: boolean) => clusterFlagsText(flags, { namespace });
      const found = 'message' in subject ? await conflictsIn(subject, flags, host) : await fieldsOf(subject, flags, text(true), host);
      const explained = found.map((one) => ({ ...one, ways: withFlags(one.ways, text(false)) }));
      if (flags.json) {
        const print = (await import('../render/json-renderer.js')).jsonRenderer<ExplainLine>(host);
        for (const event of explained) print(event);
        print({ event: 'explain-summary', [explained[0]?.event === 'field' ? 'fields' : 'conflicts']: explained.length, exitCode: 0 });
        return;
      }
      (await import('../render/explain-renderer.js')).explainRenderer(host, (ways) => withFlags(ways, text(false)))(explained);
    });
}

async function conflictsIn({ message, object }: MessageSubject, { file: _, json: __, ...flags }: ExplainFlags, host: Host) {
  const { readMessage } = await import('../explain/read-message.js');
  const { explainText } = await import('../../inspect/explain/explain-text.js');
  const { namespace } = flags;
  const named = object === undefined || namespace === undefined ? object : { ...object, namespace };
  const conflicts = explainText(await readMessage(message, host), named);
  const { lookUp } = await import('../explain/look-up.js');
  return lookUp(conflicts, flags, host);
}

/** Adds the flags of this command to the commands of Fieldwise in ways out. A namespace is not one of them: the program of a stack knows it. */
function withFlags(ways: readonly WayOut[], flags: string): readonly WayOut[] {
  return ways.map((way) => (way.how?.startsWith('fieldwise ') ? { ...way, how: `${way.how}${flags}` } : way));
}

async function fieldsOf(subject: LiveSubject, flags: ExplainFlags, flagsText: string, host: Host) {
  if (flags.offline) {
    throw new FieldwiseError('flag-without-use', 'usage', '`--offline` has no effect without a message', {
      next: 'Leave it out: fields of a live object are read from the cluster.',
    });
  }
  const { loadConfig } = await import('../config/config.js');
  const { file: _, json: __, offline: ___, ...settings } = flags;
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags: settings });
  const { explainFields } = await import('../../inspect/explain/explain-fields.js');
  const cluster = await openCluster(config);
  try {
    return await explainFields(cluster, { ...subject, inventoryNamespace: config.inventory.namespace, flags: flagsText });
  } finally {
    cluster.close();
  }
}
