import { constructPathOf } from '../../app/app-root.js';
import { type Acknowledgement, acknowledgementType } from '../../app/settings/acknowledge.js';
import type { SynthDiagnostic } from '../../assembly/index.js';
import type { ConstructTree } from '../declared/construct-tree.js';
import type { LintDiagnostic } from './lint-diagnostic.js';

interface LocatedAcknowledgement extends Acknowledgement {
  readonly construct: string;
}

/** Returns the warnings that no construct at or above their declarations acknowledges, and a warning for each unused acknowledgement. */
export function unacknowledged(tree: ConstructTree, diagnostics: readonly LintDiagnostic[]): readonly SynthDiagnostic[] {
  const byConstruct = new Map<number, LocatedAcknowledgement[]>();
  for (const [position, construct] of tree.constructs.entries()) {
    const own = construct.node.metadata.filter(({ type }) => type === acknowledgementType);
    if (own.length > 0)
      byConstruct.set(
        position,
        own.map(({ data }) => ({ ...(data as Acknowledgement), construct: constructPathOf(construct) })),
      );
  }
  if (byConstruct.size === 0) return diagnostics.map(({ diagnostic }) => diagnostic);
  const used = new Set<LocatedAcknowledgement>();
  const left = diagnostics.filter(({ diagnostic: { code }, constructs }) => {
    const matching = constructs.flatMap((construct) => {
      const found: LocatedAcknowledgement[] = [];
      for (let up = tree.positions.get(construct) ?? -1; up >= 0; up = tree.parents[up] as number) {
        found.push(...(byConstruct.get(up) ?? []).filter((one) => one.code === code));
      }
      return found;
    });
    for (const one of matching) used.add(one);
    return matching.length === 0;
  });
  const unused = [...byConstruct.values()].flat().filter((one) => !used.has(one));
  return [...left.map(({ diagnostic }) => diagnostic), ...unused.map(warningOf)];
}

function warningOf({ code, construct, source }: LocatedAcknowledgement): SynthDiagnostic {
  return {
    code: 'acknowledgement-unused',
    message: `The program acknowledges ${code}, but there is no such warning here. Remove the acknowledgement.`,
    construct,
    ...(source === undefined ? {} : { source }),
  };
}
