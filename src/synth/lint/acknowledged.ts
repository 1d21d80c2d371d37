import { type Acknowledgement, acknowledgementType } from '../../app/acknowledge.js';
import { constructPathOf } from '../../app/app-root.js';
import type { SynthWarning } from '../../assembly/index.js';
import type { ConstructTree } from '../construct-tree.js';
import type { Hazard } from './hazard.js';

interface Given extends Acknowledgement {
  readonly construct: string;
}

/** The warnings that no construct at or above what they are about acknowledges, and a warning for each acknowledgement without use. */
export function unacknowledged(tree: ConstructTree, hazards: readonly Hazard[]): readonly SynthWarning[] {
  const given = new Map<number, Given[]>();
  for (const [position, construct] of tree.constructs.entries()) {
    const own = construct.node.metadata.filter(({ type }) => type === acknowledgementType);
    if (own.length > 0)
      given.set(
        position,
        own.map(({ data }) => ({ ...(data as Acknowledgement), construct: constructPathOf(construct) })),
      );
  }
  if (given.size === 0) return hazards.map(({ warning }) => warning);
  const used = new Set<Given>();
  const left = hazards.filter(({ warning: { code }, constructs }) => {
    const matching = constructs.flatMap((construct) => {
      const found: Given[] = [];
      for (let up = tree.positions.get(construct) ?? -1; up >= 0; up = tree.parents[up] as number) {
        found.push(...(given.get(up) ?? []).filter((one) => one.code === code));
      }
      return found;
    });
    for (const one of matching) used.add(one);
    return matching.length === 0;
  });
  const unused = [...given.values()].flat().filter((one) => !used.has(one));
  return [...left.map(({ warning }) => warning), ...unused.map(warningOf)];
}

function warningOf({ code, construct, source }: Given): SynthWarning {
  return {
    code: 'acknowledgement-unused',
    message: `The program acknowledges ${code}, and there is no such warning here any more. Remove the acknowledgement.`,
    construct,
    ...(source === undefined ? {} : { source }),
  };
}
