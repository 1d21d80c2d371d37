import { exitCodeOf } from '../../util/error.js';
import { pluralize } from '../../util/pluralize.js';
import type { Host } from '../host.js';
import { type ClusterFlags, openCluster } from '../open-cluster.js';
import { onOneLine, quoted } from '../render/printable.js';

/** Runs `fieldwise doctor --objects`, which reads inventories and needs no program. */
export async function inspectDeployedObjects(
  stack: string | true,
  flags: ClusterFlags & { readonly json?: boolean },
  host: Host,
): Promise<void> {
  const { loadConfig } = await import('../program/config.js');
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
  const { inspectObjects } = await import('../../inspect/doctor/inspect-objects.js');
  const cluster = await openCluster(config);
  try {
    const { name: app, instance, inventory } = config;
    const options = { app, instance, inventoryNamespace: inventory.namespace, ...(stack === true ? {} : { stack }) };
    const inspection = await inspectObjects(cluster, options, (diagnostic) => {
      const { code, object, stacks, isError, message, next } = quoted(diagnostic);
      host.stdout(
        flags.json
          ? `${JSON.stringify(diagnostic)}\n`
          : `${isError ? 'FAILED' : 'note  '} ${object} [${stacks.join(', ')}]: ${message}. ${next} [${code}]\n`,
      );
    });
    const { objects, diagnostics, errors, unread } = inspection;
    if (flags.json) host.stdout(`${JSON.stringify(inspection)}\n`);
    else host.stdout(`${pluralize(objects, 'object')} checked, ${pluralize(diagnostics, 'diagnostic')}, ${pluralize(errors, 'error')}\n`);
    for (const { kind, reason } of unread) host.stderr(`warning: ${kind} could not be read: ${onOneLine(reason)}\n`);
    if (errors > 0 || unread.length > 0) host.setExitCode(exitCodeOf('resource'));
  } finally {
    cluster.close();
  }
}
