import pc from 'picocolors';
import type { ReleasedField } from '../../deploy/index.js';
import type { MessageTool, NamedObject } from '../../inspect/explain/conflict-text.js';
import type { ContestedFields, ExplainedConflict, ExplainedOwner } from '../../inspect/explain/explain-conflicts.js';
import type { ExplainedField, TriedRelease } from '../../inspect/explain/explain-fields.js';
import type { LiveField } from '../../inspect/explain/live-owners.js';
import type { WayOut } from '../../inspect/explain/ways-out.js';
import type { Json } from '../../util/json.js';
import { pluralize } from '../../util/pluralize.js';
import type { LookedUpConflict } from '../explain/look-up.js';
import type { Host } from '../host.js';
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

/** Returns a renderer that prints explained conflicts and fields for people. */
// Longer than 60 lines because its parts share the colors of one terminal.
export function explainRenderer(host: Host): (event: LookedUpConflict | ExplainedField) => void {
  const colors = pc.createColors(host.color);
  let first = true;
  return forPeople((event) => {
    const lines = event.event === 'field' ? fieldLines(event) : conflictLines(event);
    host.raw.stdout(linesText([...(first ? [] : ['']), ...lines]));
    first = false;
  });

  function conflictLines(conflict: LookedUpConflict): string[] {
    const lines =
      conflict.about === 'release' ? [releaseLine(conflict)] : [headLine(conflict), ...(conflict.contested ?? []).flatMap(groupLines)];
    const all = [...lines, ...nowLines(conflict)];
    return [...all.flatMap((line) => wrap(line, 6)), ...wayLines(conflict.ways, toolNames[conflict.tool])];
  }

  function nowLines({ now, notRead }: LookedUpConflict): string[] {
    if (notRead !== undefined) return [`The cluster was not read: ${notRead}`];
    if (now === undefined) return [];
    const { object, server, exists, fields = [], owners = [] } = now;
    if (!exists) return [`${object} does not exist on ${server}.`];
    const listed = fields
      .slice(0, maxFields)
      .flatMap((one) => [`  ${one.field}${one.value === undefined ? '' : `: ${valueText(one.value)}`}`, ...liveOwnerLines(one)]);
    const more = fields.length > maxFields ? [`  and ${fields.length - maxFields} more`] : [];
    const ofObject = owners.map((owner) => `  owned in part by ${colors.bold(ownerText(owner))}`);
    return [`${object} now, on ${server}:`, ...listed, ...more, ...ofObject];
  }

  function liveOwnerLines({ owners }: LiveField): string[] {
    if (owners.length === 0) return ['      no owner'];
    return owners.map((owner) => `      owned by ${colors.bold(ownerText(owner))}`);
  }

  function fieldLines({ object, field, value, owners, ways }: ExplainedField): string[] {
    const lines = [
      object,
      `  ${field}${value === undefined ? '' : `: ${valueText(value)}`}`,
      ...(owners.length === 0
        ? ['      no owner: mostly a default of the server. Whoever sets it first owns it, without a conflict.']
        : []),
      ...owners.flatMap((owner) => [
        `      owned by ${colors.bold(ownerText(owner))}`,
        `      ${owner.next}`,
        ...(owner.release === undefined ? [] : [`      If it no longer applied the field: ${releaseText(owner.release)}`]),
      ]),
    ];
    return [...lines.flatMap((line) => wrap(line, 6)), ...(owners.length === 0 ? [] : wayLines(ways))];
  }

  function groupLines({ owner, fields }: ContestedFields): string[] {
    const listed = fields.slice(0, maxFields).map((field) => `  ${field}`);
    const more = fields.length > maxFields ? [`  and ${fields.length - maxFields} more`] : [];
    return [...listed, ...more, `      owned by ${colors.bold(ownerText(owner))}`, `      ${owner.next}`];
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

/** Formats what a release would change. */
function releaseText({ outcome = [], refused }: TriedRelease): string {
  if (refused !== undefined) return `unknown, because it cannot be tried: ${refused}`;
  if (outcome.length === 0) return 'nothing would change.';
  return `${outcome.map(({ field, change, newValue, collateral = [] }) => `${field} ${changeText(change, newValue)}${alsoText(collateral)}`).join('; ')}.`;
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
