import type { AdoptApplySetResult, Adoption, ApplySetPreview } from '../../deploy/index.js';
import { exitCodeOf } from '../../util/error.js';
import { pluralize } from '../../util/pluralize.js';
import { openCluster } from '../cluster/open-cluster.js';
import type { AdoptLine } from '../json/lines.js';
import type { Host } from '../process/host.js';
import { synthesize } from '../program/synthesize.js';
import { failedText, previewText, printAdoptions, refusedAdoptions } from '../render/adoptions.js';
import { jsonRenderer } from '../render/json-renderer.js';
import { quoted } from '../render/printable.js';
import { targetText } from '../render/target-text.js';
import { type AdoptFlags, adoptionHost, answer, printRefused, requireOnly, retriesTo } from './adopt-flags.js';

/** Runs `fieldwise adopt --from-applyset`. */
export async function adoptSet(applySet: string, stacks: readonly string[], flags: AdoptFlags, host: Host): Promise<void> {
  requireOnly('--from-applyset', { '--from': flags.from });
  const { loadConfig } = await import('../config/config.js');
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
  const assembly = await synthesize({ host, config });
  const { adoptApplySet } = await import('../../deploy/adopt/apply-set/adopt-apply-set.js');
  const cluster = await openCluster(config);
  try {
    let shown: readonly Adoption[] = [];
    const show = (preview: ApplySetPreview) => {
      shown = preview.adoptions;
      if (flags.json) jsonRenderer<AdoptLine>(host)(setEvent(preview));
      else host.stdout(setText(quoted(preview)));
    };
    const confirm = ({ members, adoptions }: ApplySetPreview) => {
      const objects = [...new Set([...members, ...adoptions].map(({ object }) => object))];
      const text = `These objects on ${targetText({ ...config, ...cluster })} leave the ApplySet, and kubectl refuses the set from then on`;
      return answer({ text, objects }, flags, host);
    };
    const leaveUndeclared = flags.leaveUndeclared === true;
    const options = { applySet, leaveUndeclared, stacks, ...adoptionHost(flags, config, host), show, confirm };
    const result = await adoptApplySet(assembly, cluster, options, retriesTo(host)).catch((error: unknown) =>
      printRefused(error, refusedAdoptions(shown), flags, host),
    );
    printResult(result, flags, host);
  } finally {
    cluster.close();
  }
}

/** Returns a preview as an event; its adoptions have events of their own. */
function setEvent({ adoptions: _, ...set }: ApplySetPreview): AdoptLine {
  return { event: 'applyset', ...set };
}

function setText({ applySet, id, members, remaining, unserved, adoptions }: ApplySetPreview): string {
  const lines = [
    `ApplySet of ${applySet} (${id}): ${pluralize(members.length + remaining.length, 'member')}`,
    ...members.map(({ object, stack }) => `  ${object} leaves it, to stack ${stack}`),
    ...remaining.map(({ object, reason }) => `  ${object} is ${reason}`),
    ...unserved.map((kind) => `  the server does not serve ${kind}, which the set records: it has no objects`),
  ];
  return `${lines.join('\n')}\n${adoptions.map(previewText).join('')}`;
}

function printResult(result: AdoptApplySetResult, flags: AdoptFlags, host: Host): void {
  const { members, error } = result;
  const json = flags.json ? jsonRenderer<AdoptLine>(host) : undefined;
  for (const member of members) {
    const { object, result: fate, error: cause } = quoted(member);
    if (json) json({ event: 'member', ...member });
    else if (fate === 'failed') host.stdout(failedText(object, cause));
  }
  const left = members.filter((member) => member.result === 'left').length;
  if (!flags.json && members.length > 0) host.stdout(`${pluralize(left, 'object')} left the ApplySet\n`);
  if (error !== undefined) {
    if (json) json({ event: 'applyset-failed', error });
    else host.stdout(failedText('the record of the ApplySet', quoted(error)));
  }
  if (error !== undefined || left < members.length) host.setExitCode(exitCodeOf('resource'));
  printAdoptions(result, flags, host);
}
