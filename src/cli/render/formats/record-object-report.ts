import { declarationText } from '../../../assembly/declaration-text.js';
import type { ChangedField, FieldConflict, ObjectReport, Outcome, ReleasedField } from '../../../deploy/index.js';
import { changesValue, isReleased } from '../../../engine/field-changes/report-releases.js';
import { forcedWord } from '../../../engine/report/forced-field.js';
import { isSensitiveField, seenTexts } from '../../../engine/report/sensitive-changes.js';
import { sentence } from '../../../util/error.js';
import { conflictHint } from '../conflict-hint.js';
import { existingText } from '../existing-text.js';
import { ownerName, ownersText, reportedOwner } from '../field-text.js';
import { changedUnread, isNotReady } from '../object-lines.js';
import { rejoinedText } from '../rejoined-text.js';
import { valueText } from '../values.js';
import { likenessText } from './likeness.js';
import type { ObjectFinding, Risk } from './object-finding.js';
import { emptyPhrase, joinPhrases, type Phrase, phrase, wordsPhrase } from './phrase.js';
import { type RecordedObject, riskOf } from './recorded-run.js';
import { errorPhrase, keptPhrase, removedPhrase, reorderPhrase, rewrittenPhrase, serverPhrase, type Tense } from './sentences.js';
import { changePhrase, withLines } from './value-phrases.js';

/** Classifies the effects that a deploy had on an object. */
export function recordObjectReport(report: ObjectReport): RecordedObject {
  const { object, stack, result, forcedConflicts, changed = [], released = [], rewritten = [], readiness, declaredBy } = report;
  const { apiVersion, kind } = report;
  const written = { apiVersion, kind, action: result === 'created' ? 'create' : 'update', fields: changed } as const;
  const isSeen = (field: ChangedField) => isSensitiveField(written, field);
  const findings = [...failures(report), ...objectFindings(report), ...fieldFindings(report)];
  return {
    object,
    stack,
    likeness: () => likenessOf(report),
    action: result,
    risk: riskOf(findings, (rewritten.length === 0 && quietRisks[result]) || 'harmless'),
    findings,
    changes: () => changesOf(report, (field) => !isSeen(field)),
    seenChanges: () => changed.filter(isSeen).map(changedPhrase),
    notes: notesOf(report),
    takenFrom: forcedConflicts.filter(({ perhaps }) => !perhaps).map((conflict) => [ownerName(reportedOwner(conflict, report.manager))]),
    isAdopted: report.adopted !== undefined,
    wouldTake: 0,
    sensitive: () => seenTexts(report, result, report.sensitive),
    released: released.filter(isReleased).length,
    coOwned: 0,
    notCompared: 0,
    declaredBy: (isNotReady(report) ? readiness?.cause?.source?.declaredBy : undefined) ?? declaredBy,
  };
}

/** Everything that formats say of an object, except its name and its declarations. */
function likenessOf(report: ObjectReport): string {
  const { object, name, uid, declaredBy, replaced, readiness, ...same } = report;
  return likenessText(isNotReady(report) ? { ...same, readiness } : same);
}

const quietRisks: Readonly<Partial<Record<Outcome, Risk>>> = { skipped: 'skipped', unchanged: 'unchanged' };

function failures(report: ObjectReport): readonly ObjectFinding[] {
  const { error, result, reason, conflicts, readiness } = report;
  const findings = conflicts.map(
    (conflict, index): ObjectFinding => ({
      code: 'field-conflict',
      risk: 'blocked',
      text: () => joinPhrases([wordsPhrase('conflicts in'), conflictText(conflict, 'with', report.manager)], ' '),
      ...(index < conflicts.length - 1 ? {} : { details: [phrase`${conflictHint(conflicts)}`] }),
    }),
  );
  if (error) findings.unshift({ code: error.code, risk: 'blocked', text: () => errorPhrase(error) });
  else if (result === 'failed') findings.push({ code: 'rejected', risk: 'blocked', text: () => phrase`${reason ?? 'The object failed'}` });
  if (readiness && isNotReady(report))
    findings.push({ code: 'not-ready', risk: 'blocked', text: () => notReadyPhrase(readiness), details: causePhrases(readiness) });
  return findings;
}

function notReadyPhrase({ state, message, timedOutAfterSeconds, reason }: NonNullable<ObjectReport['readiness']>): Phrase {
  const after = timedOutAfterSeconds === undefined ? '' : ` after ${timedOutAfterSeconds} s`;
  return phrase`${`${state === 'failed' ? 'Failed' : `Not ready${after}`}: ${sentence(message)}`} (${reason})`;
}

/** Formats what is known of the cause for which an object is not ready: the declaration, the event and the log. */
function causePhrases({ cause, notLookedAt = [] }: NonNullable<ObjectReport['readiness']>): readonly Phrase[] {
  const { source, event, log = [], object = '' } = cause ?? {};
  return [
    ...(source
      ? [phrase`${source.field} is declared by ${source.declaredBy.map(declarationText).join(', ')} in stack ${source.stack}`]
      : []),
    ...(event ? [phrase`event of ${object}: ${`${event.reason}: ${event.message}`}`] : []),
    ...log.map((line) => phrase`log: ${line}`),
    ...notLookedAt.map((note) => phrase`not looked at: ${note}`),
  ];
}

function objectFindings({ result, contendedFields = [] }: ObjectReport): readonly ObjectFinding[] {
  return [
    ...(result === 'deleted' ? [{ code: 'object-deleted', risk: 'risky', text: () => phrase`deleted the object` } as const] : []),
    ...(result === 'recreated'
      ? [{ code: 'object-recreated', risk: 'risky', text: () => phrase`deleted the object, and created it again` } as const]
      : []),
    ...contendedFields.map(({ field, from, count }): ObjectFinding => {
      return {
        code: 'field-contended',
        risk: 'risky',
        text: () => phrase`fights over ${field} with ${from}: forced ${String(count)} times in a row`,
      };
    }),
  ];
}

function fieldFindings({ manager, forcedConflicts, released = [], changed = [], collateral = [] }: ObjectReport): readonly ObjectFinding[] {
  return [
    ...forcedConflicts.map(
      (conflict): ObjectFinding => ({
        code: conflict.perhaps ? 'field-perhaps-taken' : 'field-taken',
        risk: 'risky',
        text: () => joinPhrases([wordsPhrase(forcedWord(conflict, 'took')), conflictText(conflict, 'from', manager)], ' '),
      }),
    ),
    ...released.flatMap((field) => releaseFindings(field)),
    ...changed
      .filter(isLostToServer)
      .map((field): ObjectFinding => ({ code: 'release-changes-value', risk: 'risky', text: () => changedPhrase(field) })),
    ...collateral.map((lost): ObjectFinding => {
      const { field, oldValue } = lost;
      const by = ownersText([reportedOwner(lost, manager)]);
      const removed = wordsPhrase(forcedWord(lost, 'removed'));
      const text = () => phrase`${removed} ${field} along with an item: was ${valueText(oldValue)}, owned by ${by}`;
      return { code: 'collateral-removed', risk: 'risky', text };
    }),
  ];
}

function releaseFindings(field: ReleasedField): readonly ObjectFinding[] {
  if (field.change === 'kept') return [];
  if (field.change === 'rejected') return [{ code: 'rejected', risk: 'blocked', text: () => removedPhrase('released', field) }];
  const released = releasedWord(field);
  const code = changesValue(field) || field.change === 'perhaps' ? 'release-changes-value' : 'last-owner-released';
  return [{ code, risk: 'risky', text: () => removedPhrase(released, field) }];
}

function releasedWord({ earlier }: ReleasedField): Tense {
  return earlier ? 'released in an earlier run' : 'released';
}

function changesOf(
  { manager, changed = [], overwritten = [], rewritten = [], yielded, released = [] }: ObjectReport,
  isListed: (field: ChangedField) => boolean,
): readonly Phrase[] {
  return [
    ...changed.filter((field) => !isLostToServer(field) && isListed(field)).map(changedPhrase),
    ...overwritten.map((field) => {
      const changed = phrase`${wordsPhrase(forcedWord(field, 'changed'))} ${field.field}`;
      return changePhrase(changed, field.oldValue, field.newValue, phrase`, which had no owner`);
    }),
    ...rewritten.map((field) => rewrittenPhrase(field)),
    ...yielded.map(({ field, value, declared, ...owner }) => {
      const by = ownersText([reportedOwner(owner, manager)]);
      return phrase`left ${field} to ${by}: stays ${valueText(value)}; declared ${valueText(declared)}`;
    }),
    ...released.filter(({ change }) => change === 'kept').map((field) => keptPhrase(releasedWord(field), field)),
  ];
}

/** Returns true for a value of others that the server changed or removed. */
function isLostToServer({ change, oldValue, owners = [] }: ChangedField): boolean {
  return change === 'server' && oldValue !== undefined && owners.length > 0;
}

function changedPhrase(changed: ChangedField): Phrase {
  const { field, change, oldValue, newValue, owners } = changed;
  if (change === 'reorder') return reorderPhrase('reordered', changed);
  if (change === 'server') return serverPhrase('set', changed);
  if (change === 'same') return phrase`owns ${field} from now on: ${valueText(newValue)}`;
  if (change === 'co-own') return phrase`owns ${field} together with ${ownersText(owners)}: ${valueText(newValue)}`;
  if (change === 'change') return changePhrase(phrase`changed ${field}`, oldValue, newValue);
  return withLines(phrase`set ${field}: ${valueText(newValue)}`, phrase`set ${field}`, '+', newValue);
}

function ownersPhrase(owners: readonly string[]): Phrase {
  return owners.length > 0 ? phrase`, also owned by ${owners.join(', ')}` : emptyPhrase;
}

function notesOf(report: ObjectReport): readonly Phrase[] {
  const { adopted, renamedFrom, transferred, movedFrom, rejoined, finalizers, reason, warnings } = report;
  return [
    ...(adopted ? [phrase`${wordsPhrase(existingText(adopted))}${ownersPhrase(adopted.owners)}`] : []),
    ...(renamedFrom ? [phrase`renamed from ${renamedFrom.join(', ')}`] : []),
    ...(transferred ? [phrase`fields transferred from ${transferred.from}: ${transferred.fields.join(', ')}`] : []),
    ...(movedFrom ? [phrase`moved here from stack ${movedFrom}, with the right to delete it`] : []),
    ...(rejoined ? [wordsPhrase(rejoinedText(report))] : []),
    ...(changedUnread(report) ? [phrase`not read before, so what changed is not known`] : []),
    ...(finalizers ? [phrase`still held by ${finalizers.join(', ')}`] : []),
    ...(reason === undefined ? [] : [phrase`${reason}`]),
    ...warnings.map((warning) => phrase`warning of the server: ${warning}`),
  ];
}

function conflictText({ field, oldValue, newValue, ...owner }: FieldConflict, word: 'from' | 'with', ours: string): Phrase {
  const by = ownersText([reportedOwner(owner, ours)]);
  const of = phrase`${field} ${wordsPhrase(word)} ${by}`;
  const isUnread = oldValue === undefined && newValue === undefined;
  return isUnread ? of : changePhrase(of, oldValue, newValue);
}
