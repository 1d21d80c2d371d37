import path from 'node:path';
import { FieldwiseError } from '../../util/error.js';
import { loadConfig } from '../config/config.js';
import type { OutputFormat } from '../config/flags.js';
import type { Host } from '../process/host.js';
import { withEnvironment } from '../render/json-renderer.js';
import { reportError } from '../render/report-error.js';

/** Stands for the name of the environment in the name of a page. */
export const environmentMark = '{env}';

/** The flags of a diff that concern several environments. */
interface EnvironmentFlags {
  readonly env?: string;
  readonly outdir?: string;
  readonly json?: boolean;
  readonly output?: OutputFormat;
  readonly planFile?: string;
  readonly html?: string;
  readonly offline?: boolean;
}

/**
 * Plans environment after environment: text has a heading for each, and each line of JSON names its environment. An environment that fails
 * does not keep the others from being planned. The exit code is the highest of all.
 *
 * @throws FieldwiseError `flag-invalid`, `environment-unknown` before the first plan.
 */
export async function diffEnvironments<Flags extends EnvironmentFlags>(
  environments: readonly string[],
  flags: Flags,
  host: Host,
  diff: (flags: Flags, host: Host) => Promise<void>,
): Promise<void> {
  const hasOnePage = flags.html !== undefined && !flags.html.includes(environmentMark);
  const single =
    flags.planFile !== undefined
      ? `--output-file plan=${flags.planFile}`
      : hasOnePage
        ? `--output-file html=${flags.html}`
        : flags.offline
          ? '--offline'
          : undefined;
  if (single !== undefined) {
    throw new FieldwiseError('flag-invalid', 'usage', `\`${single}\` is for one environment, and \`--env ${flags.env}\` names several`, {
      next: hasOnePage
        ? `Put ${environmentMark} into the name, for a page of each environment: \`--output-file html=plan-${environmentMark}.html\`.`
        : 'A saved plan and a snapshot are of one cluster: run the command for each environment, with a file for each.',
    });
  }
  const each = environments.map((env) => ({
    ...flags,
    env,
    ...(flags.outdir === undefined ? {} : { outdir: path.join(flags.outdir, env) }),
    ...(flags.html === undefined ? {} : { html: flags.html.replaceAll(environmentMark, () => env) }),
  }));
  for (const one of each) await loadConfig({ cwd: host.cwd, env: host.env, flags: one });
  let worst = 0;
  const { json = false, output = 'text' } = flags;
  for (const [index, one] of each.entries()) {
    const setExitCode = (code: number) => {
      worst = Math.max(worst, code);
    };
    if (output === 'text') host.stdout(`${index === 0 ? '' : '\n'}environment ${one.env}\n`);
    try {
      await diff(one, { ...(json ? withEnvironment(host, one.env) : host), setExitCode });
    } catch (error) {
      if (error instanceof FieldwiseError && error.kind === 'interrupted') throw error;
      if (output !== 'text') host.stderr(`environment ${one.env}\n`);
      setExitCode(await reportError(error, host));
    }
  }
  host.setExitCode(worst);
}
