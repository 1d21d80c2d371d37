import pc from 'picocolors';
import type { ReleasedField } from '../../deploy/index.js';
import type { ContestingOwner, MessageTool, NamedObject } from '../../inspect/explain/conflict-text.js';
import type { ContestedFields, ExplainedConflict, ExplainedOwner } from '../../inspect/explain/explain-conflicts.js';
import type { ExplainedField, TriedRelease } from '../../inspect/explain/explain-fields.js';
import type { LiveField } from '../../inspect/explain/live-owners.js';
import { type WayOut, waysInFieldwise } from '../../inspect/explain/ways-out.js';
import type { Json } from '../../util/json.js';
import { pluralize } from '../../util/pluralize.js';
import type { LookedUpConflict } from '../explain/look-up.js';
import type { Host } from '../process/host.js';
import { ownersText } from './field-text.js';
import { forPeople, linesText } from './printable.js';
import { valueText } from './values.js';
import { wrap } from './wrap.js';

const toolNames: Readonly<Record<MessageTool, string>> = {
  'argo-cd': 'Argo CD',
  crossplane: 'Crossplane',
  flux: 'Flux',
  'helm-3': 'Helm 3',
  'helm-4': 'Helm 4',
  kubectl: 'kubectl',
  pulumi: 'Pulumi',
  terraform: 'Terraform',
  unknown: 'A client of the API server',
};

/** A conflict over more fields of one owner lists only these. */
const maxFields = 50;

/**
 * Returns a renderer that prints explained conflicts or fields for people; what several fields have in common, it prints once.
 *
 * @param withFlags completes the ways out of several fields.
 */
// Longer than 60 lines because its parts share the colors of one terminal.
export function explainRenderer(
  host: Host,
  withFlags: (ways: readonly WayOut[]) => readonly WayOut[],
): (events: readonly (LookedUpConflict | ExplainedField)[]) => void {
  const colors = pc.createColors(host.color);
  return forPeople((events) => {
    const conflicts = events.filter(({ event }) => event === 'conflict') as readonly LookedUpConflict[];
    const fields = events.filter(({ event }) => event === 'field') as readonly ExplainedField[];
    const parts = [...conflicts.map(conflictLines), ...grouped(fields, ({ object }) => object).map(objectLines)];
    host.raw.stdout(linesText(parts.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))));
  });

  function conflictLines(conflict: LookedUpConflict): string[] {
    const { contested = [] } = conflict;
    const says = lastToSay(contested.map(({ owner }) => owner));
    const lines =
      conflict.about === 'release'
        ? [releaseLine(conflict)]
        : [headLine(conflict), ...contested.flatMap((group) => groupLines(group, says))];
    const all = [...lines, ...nowLines(conflict)];
    return [...all.flatMap((line) => wrap(line, 6)), ...wayLines(conflict.ways, toolNames[conflict.tool])];
  }

  function nowLines({ now, notRead }: LookedUpConflict): string[] {
    if (notRead !== undefined) return [`The cluster was not read: ${notRead}`];
    if (now === undefined) return [];
    const { object, server, exists, fields = [], owners = [] } = now;
    if (!exists) return [`${object} does not exist on ${server}.`];
    const listed = grouped(fields.slice(0, maxFields), (field) => field.owners.map(ownerIdentity)).flatMap((group) => [
      ...group.map(fieldLine),
      ...liveOwnerLines(group[0] as LiveField),
    ]);
    const more = fields.length > maxFields ? [`  and ${fields.length - maxFields} more`] : [];
    const ofObject = owners.map((owner) => `  owned in part by ${colors.bold(ownerText(owner))}`);
    return [`${object} now, on ${server}:`, ...listed, ...more, ...ofObject];
  }

  function liveOwnerLines({ owners }: LiveField): string[] {
    if (owners.length === 0) return ['      no owner'];
    return owners.map((owner) => `      owned by ${colors.bold(ownerText(owner))}`);
  }

  function objectLines(fields: readonly ExplainedField[]): string[] {
    const [first] = fields as readonly [ExplainedField];
    const said = new Set<string>();
    const lines = grouped(fields, ({ owners }) => owners.map(ownerIdentity)).flatMap((group) => fieldLines(group, said));
    const owned = fields.flatMap(({ field, owners }) => owners.map(({ manager, operation }) => ({ field, manager, operation })));
    return [
      ...[first.object, ...lines].flatMap((line) => wrap(line, 6)),
      ...(owned.length === 0 ? [] : wayLines(withFlags(waysInFieldwise(first, owned)))),
    ];
  }

  /**
   * Returns the lines of fields of one object that have the same owners.
   *
   * @param said what owners do next, as far as it was said before; gets what these lines say.
   */
  function fieldLines(group: readonly ExplainedField[], said: Set<string>): string[] {
    const owners = group[0]?.owners ?? [];
    if (owners.length === 0)
      return [
        ...group.map(fieldLine),
        '      no owner: mostly a default of the server. Whoever sets it first owns it, without a conflict.',
      ];
    const says = new Set([...lastToSay(owners)].filter(({ next }) => !said.has(next)));
    for (const { next } of says) said.add(next);
    return [
      ...group.map(fieldLine),
      ...owners.flatMap((owner, index) => [
        `      owned by ${colors.bold(ownerText(owner))}`,
        ...(says.has(owner) ? [`      ${owner.next}`] : []),
        ...releaseLines(group.flatMap((field) => field.owners[index]?.release ?? [])),
      ]),
    ];
  }

  function groupLines({ owner, fields }: ContestedFields, says: ReadonlySet<ExplainedOwner>): string[] {
    const listed = fields.slice(0, maxFields).map((field) => `  ${field}`);
    const more = fields.length > maxFields ? [`  and ${fields.length - maxFields} more`] : [];
    return [...listed, ...more, `      owned by ${colors.bold(ownerText(owner))}`, ...(says.has(owner) ? [`      ${owner.next}`] : [])];
  }

  function wayLines(ways: readonly WayOut[], tool?: string): string[] {
    const section = (title: string, by: WayOut['by']) => {
      const found = ways.filter((way) => way.by === by);
      return found.length === 0 ? [] : [colors.bold(title), ...found.flatMap(wayText)];
    };
    const inTool = tool === undefined || tool === toolNames.unknown ? 'Ways out:' : `Ways out in ${tool}:`;
    return [...section(inTool, 'tool'), ...section('Ways out in Fieldwise:', 'fieldwise')];
  }
}

/** Groups fields by what they have in common, in the order of the first of each group. */
function grouped<Field>(fields: readonly Field[], common: (field: Field) => unknown): readonly (readonly Field[])[] {
  const groups = new Map<string, Field[]>();
  for (const field of fields) {
    const key = JSON.stringify(common(field));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [field]);
    else group.push(field);
  }
  return [...groups.values()];
}

/** Returns what tells one owner from another, without what it says of one field. */
function ownerIdentity({ manager, operation, subresource, time }: ContestingOwner): readonly (string | undefined)[] {
  return [manager, operation, subresource, time];
}

/** Returns of the owners that do the same next the last one: only below it, that is said. */
function lastToSay(owners: readonly ExplainedOwner[]): ReadonlySet<ExplainedOwner> {
  return new Set(new Map(owners.map((owner) => [owner.next, owner])).values());
}

function fieldLine({ field, value }: Pick<LiveField, 'field' | 'value'>): string {
  return `  ${field}${value === undefined ? '' : `: ${valueText(value)}`}`;
}

/** Formats what a release of fields would change; none where no owner applies them. */
function releaseLines(releases: readonly TriedRelease[]): readonly string[] {
  if (releases.length === 0) return [];
  const it = releases.length === 1 ? 'the field' : 'these fields';
  return [`      If it no longer applied ${it}: ${releaseText(releases)}`];
}

function releaseText(releases: readonly TriedRelease[]): string {
  const found = grouped(
    releases.flatMap(({ outcome = [] }) => outcome),
    (one) => one,
  );
  const texts = found.map(([one]) => outcomeText(one as ReleasedOutcome));
  const refused = releases.find((release) => release.refused !== undefined)?.refused;
  if (refused === undefined) return texts.length === 0 ? 'nothing would change.' : `${texts.join('; ')}.`;
  return [...texts, `${texts.length === 0 ? '' : 'the others: '}unknown, because it cannot be tried: ${refused}`].join('; ');
}

type ReleasedOutcome = NonNullable<TriedRelease['outcome']>[number];

function outcomeText({ field, change, newValue, collateral = [] }: ReleasedOutcome): string {
  return `${field} ${changeText(change, newValue)}${alsoText(collateral)}`;
}

function alsoText(collateral: NonNullable<ReleasedField['collateral']>): string {
  if (collateral.length === 0) return '';
  return `, and with it ${collateral.map(({ field, owners }) => `${field} of ${ownersText(owners)}`).join(', ')}`;
}

function changeText(change: ReleasedField['change'], newValue: Json | undefined): string {
  switch (change) {
    case 'kept':
      return `would stay ${valueText(newValue)}, with its other owners`;
    case 'defaulted':
      return `would become ${valueText(newValue)}, the default`;
    case 'item-removed':
      return 'would be removed, the whole item';
    case 'rejected':
      return 'cannot be removed';
    default:
      return 'would be removed';
  }
}

function wayText({ what, how }: WayOut): readonly string[] {
  return [...wrap(`  - ${what}`, 4), ...(how === undefined ? [] : [`      ${how}`])];
}

function headLine({ tool, object, contested = [], missing = 0 }: ExplainedConflict): string {
  const count = contested.reduce((sum, { fields }) => sum + fields.length, 0);
  const cut = missing > 0 ? ` The text is cut off: it lacks ${missing} more.` : '';
  const which = object === undefined ? 'an object that the text does not name' : objectText(object);
  return `${toolNames[tool]} could not apply ${which}: ${pluralize(count, 'conflict')} with owners of fields.${cut}`;
}

function releaseLine({ tool, object, release }: ExplainedConflict): string {
  const owner = release === undefined ? 'belongs to no release of Helm' : `belongs to the release ${release}`;
  return `${toolNames[tool]} did not write ${object === undefined ? 'the object' : objectText(object)}: it exists and ${owner}. No field is contested yet.`;
}

function objectText({ kind, namespace, name }: NamedObject): string {
  return `${kind === undefined ? '' : `${kind} `}${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function ownerText(owner: ExplainedOwner): string {
  return owner.time === undefined ? ownersText([owner]) : `${ownersText([owner])}, since ${owner.time} or earlier`;
}
