import { exitCodeOf } from '../../util/error.js';
import { pluralize } from '../../util/pluralize.js';
import { type ClusterFlags, openCluster } from '../cluster/open-cluster.js';
import type { DoctorLine } from '../json/lines.js';
import type { Host } from '../process/host.js';
import { jsonRenderer } from '../render/json-renderer.js';
import { onOneLine } from '../render/printable.js';
import { wrap } from '../render/wrap.js';

/** Runs `fieldwise doctor --objects`, which reads inventories and needs no program. */
export async function inspectDeployedObjects(
  stack: string | true,
  flags: ClusterFlags & { readonly json?: boolean },
  host: Host,
): Promise<void> {
  const { loadConfig } = await import('../config/config.js');
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
  const { inspectObjects } = await import('../../inspect/doctor/inspect-objects.js');
  const cluster = await openCluster(config);
  try {
    const { name: app, instance, inventory } = config;
    const options = { app, instance, inventoryNamespace: inventory.namespace, ...(stack === true ? {} : { stack }) };
    const notes: string[] = [];
    const json = flags.json ? jsonRenderer<DoctorLine>(host) : undefined;
    const inspection = await inspectObjects(cluster, options, (diagnostic) => {
      if (json) return json(diagnostic);
      const { code, object, stacks, isError, message, next } = diagnostic;
      const text = onOneLine(`${isError ? 'FAILED' : 'note  '} ${object} [${stacks.join(', ')}]: ${message}. ${next} [${code}]`);
      const lines = wrap(text, 7)
        .map((line) => `${line}\n`)
        .join('');
      // Errors at once, and first.
      if (isError) host.stdout(lines);
      else notes.push(lines);
    });
    for (const lines of notes) host.stdout(lines);
    const { objects, diagnostics, errors, unread } = inspection;
    if (json) json(inspection);
    else host.stdout(`${pluralize(objects, 'object')} checked, ${pluralize(diagnostics, 'diagnostic')}, ${pluralize(errors, 'error')}\n`);
    for (const { kind, reason } of unread) host.stderr(`warning: ${kind} could not be read: ${onOneLine(reason)}\n`);
    if (errors > 0 || unread.length > 0) host.setExitCode(exitCodeOf('resource'));
  } finally {
    cluster.close();
  }
}
