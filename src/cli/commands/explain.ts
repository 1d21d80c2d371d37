import type { Command } from 'commander';
import type { LiveSubject, MessageSubject } from '../explain/subject.js';
import type { Host } from '../host.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../open-cluster.js';
import { addEnvironmentFlag, configHelp } from './synth.js';

interface ExplainFlags extends ClusterFlags {
  readonly file?: string;
  readonly json?: boolean;
  readonly config?: string;
  readonly env?: string;
}

/** Adds `fieldwise explain`. */
export function registerExplain(program: Command, host: Host): void {
  const command = program
    .command('explain')
    .summary('explain a conflict that kubectl, Helm or another tool printed, or the owners of a field')
    .description(
      'Explains a conflict over fields that kubectl, Helm, Flux, Argo CD, Pulumi, Terraform or Crossplane printed: who owns each field, what each owner does next, and the ways out in that tool and in Fieldwise. A message needs no cluster. Example: helm upgrade web ./chart 2>&1 | fieldwise explain -. Explains fields of a live object in the same way, and what their release would change. Example: fieldwise explain deploy/web .spec.replicas. Changes nothing and needs no program.',
    )
    .argument(
      '[what...]',
      '- for a message on standard input, or the message as one quoted argument, then KIND/NAME if it names no object, as those of kubectl; or KIND/NAME of a live object and paths of its fields',
    )
    .option('-f, --file <path>', 'read the message from this file; - for standard input');
  addEnvironmentFlag(addClusterFlags(command))
    .option('--config <file>', configHelp)
    .option('-j, --json', 'print the conflicts or fields as JSON, one per line; the last line is the summary')
    .action(async (words: readonly string[], flags: ExplainFlags) => {
      const { subjectOf } = await import('../explain/subject.js');
      const subject = subjectOf(words, flags.file);
      const explained = 'message' in subject ? await conflictsIn(subject, flags, host) : await fieldsOf(subject, flags, host);
      if (flags.json) {
        const print = (await import('../render/json-renderer.js')).jsonRenderer(host);
        for (const event of explained) print(event);
        print({ event: 'explain-summary', [explained[0]?.event === 'field' ? 'fields' : 'conflicts']: explained.length, exitCode: 0 });
        return;
      }
      const print = (await import('../render/explain-renderer.js')).explainRenderer(host);
      for (const event of explained) print(event);
    });
}

async function conflictsIn({ message, object }: MessageSubject, { namespace }: ExplainFlags, host: Host) {
  const { readMessage } = await import('../explain/read-message.js');
  const { explainText } = await import('../../inspect/explain/explain-text.js');
  const named = object === undefined || namespace === undefined ? object : { ...object, namespace };
  return explainText(await readMessage(message, host), named);
}

async function fieldsOf(subject: LiveSubject, flags: ExplainFlags, host: Host) {
  const { loadConfig } = await import('../program/config.js');
  const { file: _, json: __, ...settings } = flags;
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags: settings });
  const { explainFields } = await import('../../inspect/explain/explain-fields.js');
  const cluster = await openCluster(config);
  try {
    return await explainFields(cluster, { ...subject, inventoryNamespace: config.inventory.namespace });
  } finally {
    cluster.close();
  }
}
