import type { Judgment, NotJudged, PlannedField, PlannedObject } from '../../../deploy/index.js';
import { blockingJudgments } from '../../../engine/report/judgment.js';
import { releasingChanges } from '../../../engine/report/releasing-changes.js';
import { rewrittenFieldOf } from '../../../engine/report/rewritten-field.js';
import { isSensitiveField, plannedSeenTexts } from '../../../engine/report/sensitive-changes.js';
import { waysInFieldwise } from '../../../inspect/explain/ways-out.js';
import { jsonEqual } from '../../../util/json.js';
import { conflictHint } from '../conflict-hint.js';
import { plannedExistingText } from '../existing-text.js';
import { ownerName, ownersText } from '../field-text.js';
import { rejoinedText } from '../rejoined-text.js';
import { valueText } from '../values.js';
import { blockedBy } from './blocked-text.js';
import { likenessText } from './likeness.js';
import type { ObjectFinding, RiskyCode } from './object-finding.js';
import { emptyPhrase, type Phrase, phrase, wordsPhrase } from './phrase.js';
import { isQuietCoOwnership, isQuietField, isQuietObject, staysAsIs } from './quiet.js';
import { type RecordedObject, riskOf } from './recorded-run.js';
import { errorPhrase, keptPhrase, removedPhrase, reorderPhrase, rewrittenPhrase, serverPhrase } from './sentences.js';
import { changePhrase, withLines } from './value-phrases.js';

/** Classifies the effects that a deploy would have on an object. */
export function recordPlannedObject(planned: PlannedObject): RecordedObject {
  const { object, stack, action, fields, declaredBy } = planned;
  const isBlocked = action === 'blocked';
  const touched = fields.filter((field) => !isQuietField(field));
  const byRisk = touched.map((field) => ({ field, code: isBlocked ? undefined : riskyCodeOf(field) }));
  const findings = [
    ...(isBlocked ? blockedFindings(planned) : objectFindings(planned)),
    ...warningsOfRules(planned),
    ...byRisk.flatMap(({ field, code }) => (code === undefined ? [] : fieldFindings(field, code))),
  ];
  const others = byRisk.flatMap(({ field, code }) => (code === undefined && field.change !== 'conflict' ? [field] : []));
  const isSeen = (field: PlannedField) => isSensitiveField(planned, field);
  return {
    object,
    stack,
    likeness: () => likenessOf(planned, touched),
    action,
    risk: riskOf(findings, isQuietObject(planned) ? 'unchanged' : 'harmless'),
    ...(isBlocked ? { blockedBy: blockedBy(planned) } : {}),
    findings,
    changes: () => others.filter((field) => !isSeen(field)).flatMap(changePhrases),
    seenChanges: () => others.filter(isSeen).flatMap(changePhrases),
    notes: notesOf(planned),
    takenFrom: isBlocked ? [] : fields.filter(({ change }) => change === 'force').map(({ owners = [] }) => owners.map(ownerName)),
    isAdopted: planned.adopts !== undefined && !isBlocked,
    sensitive: () => plannedSeenTexts(planned),
    wouldTake: isBlocked ? fields.filter(({ change }) => change === 'force').length : 0,
    released: isBlocked ? 0 : fields.filter(({ change }) => releasingChanges.has(change)).length,
    coOwned: fields.filter(isQuietCoOwnership).length,
    notCompared: planned.notCompared?.length ?? 0,
    ...(planned.notJudged && !isBlocked ? { notJudged: notJudgedPhrase(planned.notJudged) } : {}),
    declaredBy,
  };
}

/** Returns what formats say of an object that the server could not judge. */
function notJudgedPhrase({ changedFirst, refusal }: NotJudged): Phrase {
  return phrase`not judged by the server until the deploy has changed ${changedFirst.map(({ object }) => object).join(', ')}: ${refusal.message}`;
}

/** Everything that formats say of an object, except its name and its declarations. */
function likenessOf(planned: PlannedObject, touched: readonly PlannedField[]): string {
  const { stack, apiVersion, kind, namespace, action, source, adopts, renamedFrom, transferred, movedFrom, rejoined } = planned;
  const { reason, notCompared, notJudged, error, warnings, judgments } = planned;
  const effects = { adopts, renamedFrom, transferred, movedFrom, rejoined, reason, notCompared, notJudged, error, warnings, judgments };
  const coOwned = planned.fields.filter(isQuietCoOwnership).length;
  return likenessText([stack, apiVersion, kind, namespace ?? null, action, source, effects, coOwned, touched]);
}

function riskyCodeOf({ change, oldValue, owners = [], collateral = [] }: PlannedField): RiskyCode | undefined {
  if (change === 'force') return 'field-taken';
  if (change === 'removed') return 'release-changes-value';
  if (change === 'item-removed') return collateral.length > 0 ? 'collateral-removed' : 'release-changes-value';
  if (change === 'server' && oldValue !== undefined && owners.length > 0) return 'release-changes-value';
  return change === 'defaulted' ? 'last-owner-released' : undefined;
}

function fieldFindings(field: PlannedField, code: RiskyCode): readonly ObjectFinding[] {
  const isChanged = code === 'last-owner-released' && !jsonEqual(field.oldValue, field.newValue);
  const own: ObjectFinding = { code: isChanged ? 'release-changes-value' : code, risk: 'risky', text: () => fieldPhrase(field) };
  const { collateral = [] } = field;
  if (collateral.length === 0) return [own];
  return [
    { ...own, code: 'release-changes-value' },
    ...collateral.map(({ field: path, oldValue, owners }): ObjectFinding => {
      const text = () => phrase`removes ${path} along with it: was ${valueText(oldValue)}, owned by ${ownersText(owners)}`;
      return { code: 'collateral-removed', risk: 'risky', text };
    }),
  ];
}

function objectFindings({ action, adopts }: PlannedObject): readonly ObjectFinding[] {
  const findings: ObjectFinding[] = [];
  if (action === 'delete') findings.push({ code: 'object-deleted', risk: 'risky', text: () => phrase`deletes the object` });
  if (action === 'recreate')
    findings.push({ code: 'object-recreated', risk: 'risky', text: () => phrase`deletes the object, and creates it again` });
  for (const tool of adopts?.prunedBy ?? []) {
    const text = () => phrase`owns an existing object, which ${tool} deletes once its files no longer contain it`;
    findings.push({ code: 'object-pruned-elsewhere', risk: 'risky', text });
  }
  return findings;
}

function warningsOfRules({ judgments = [] }: PlannedObject): readonly ObjectFinding[] {
  const blocking = blockingJudgments(judgments);
  return judgments.flatMap((judgment): readonly ObjectFinding[] => {
    const { rule, verdict, message, source } = judgment;
    if (verdict === 'deny' || blocking.includes(judgment)) return [];
    const { code, says } = source === undefined ? ruleWarning : sourcedWarnings[source][verdict];
    return [{ code, risk: 'risky', text: () => phrase`${says[0]} ${rule} ${says[1]}: ${message}` }];
  });
}

interface Warning {
  readonly code: RiskyCode;
  /** The words before and after its name. */
  readonly says: readonly [string, string];
}

const ruleWarning: Warning = { code: 'rule-warned', says: ['rule', 'warns'] };
const definitionWarning: Warning = { code: 'definition-warned', says: ['definition', 'warns'] };
const sourcedWarnings: Readonly<Record<NonNullable<Judgment['source']>, Readonly<Record<'warn' | 'audit' | 'not-evaluated', Warning>>>> = {
  policy: {
    warn: { code: 'admission-warned', says: ['admission policy', 'warns'] },
    audit: { code: 'admission-audited', says: ['admission policy', 'audits'] },
    'not-evaluated': { code: 'admission-not-evaluated', says: ['admission policy', 'is not evaluated'] },
  },
  definition: {
    warn: definitionWarning,
    audit: definitionWarning,
    'not-evaluated': { code: 'definition-not-evaluated', says: ['definition', 'is not evaluated'] },
  },
};

/** Returns the first way out for the fields that a blocked object would take. */
function wayOutOf({ kind, name, fields }: PlannedObject): readonly Phrase[] {
  const taken = fields.flatMap(({ field, change, owners = [] }) =>
    change === 'force' ? owners.map((owner) => ({ ...owner, field })) : [],
  );
  const [way] = taken.length === 0 ? [] : waysInFieldwise({ kind, name }, taken);
  return way === undefined ? [] : [phrase`${way.what}${way.how === undefined ? emptyPhrase : phrase` ${way.how}`}`];
}

function blockedFindings(planned: PlannedObject): readonly ObjectFinding[] {
  const { error, reason, fields } = planned;
  const conflicts = fields.filter(({ change }) => change === 'conflict');
  const findings = conflicts.map(
    (field, index): ObjectFinding => ({
      code: 'field-conflict',
      risk: 'blocked',
      text: () => fieldPhrase(field),
      ...(index < conflicts.length - 1 ? {} : { details: [phrase`${conflictHint(conflicts.map(contested))}`] }),
    }),
  );
  if (error) {
    const details = wayOutOf(planned);
    findings.unshift({ code: error.code, risk: 'blocked', text: () => errorPhrase(error), ...(details.length > 0 ? { details } : {}) });
  }
  if (findings.length > 0) return findings;
  return [
    {
      code: 'rejected',
      risk: 'blocked',
      text: () => (reason === undefined ? phrase`the deploy of the object would fail` : phrase`${reason}`),
    },
  ];
}

function contested({ owners, ...field }: PlannedField) {
  return { ...field, from: ownersText(owners) };
}

/** Says what happens to a field, and what the server keeps in place of its declared value. */
function changePhrases(planned: PlannedField): readonly Phrase[] {
  const rewritten = rewrittenFieldOf(planned).map(rewrittenPhrase);
  return staysAsIs(planned) ? rewritten : [fieldPhrase(planned), ...rewritten];
}

// A name for each change, as a sentence about the deploy.
function fieldPhrase(planned: PlannedField): Phrase {
  const { field, change, oldValue, newValue, owners, gained, reason } = planned;
  const by = ownersText(owners);
  const [before, after] = [valueText(oldValue), valueText(newValue)];
  const why = reason === undefined ? emptyPhrase : phrase` (${wordsPhrase(reason)})`;
  switch (change) {
    case 'set':
      return withLines(phrase`sets ${field}: ${after}`, phrase`sets ${field}`, '+', newValue);
    case 'same':
      return phrase`owns ${field} from now on: ${after}`;
    case 'change':
      return changePhrase(phrase`changes ${field}`, oldValue, newValue, gained ? phrase`, which this stack did not own` : emptyPhrase);
    case 'reorder':
      return reorderPhrase('reorders', planned);
    case 'server':
      return serverPhrase('sets', planned);
    case 'co-own':
      return phrase`owns ${field} together with ${by}: ${after}`;
    case 'force':
      return changePhrase(phrase`takes ${field} from ${by}`, oldValue, newValue, why);
    case 'conflict':
      return changePhrase(phrase`conflicts in ${field} with ${by}`, oldValue, newValue, why);
    case 'yield':
      return phrase`leaves ${field} to ${by}: stays ${before}`;
    case 'kept':
      return keptPhrase('releases', planned);
    case 'removed':
    case 'defaulted':
    case 'item-removed':
    case 'rejected':
      return removedPhrase('releases', { ...planned, change });
  }
}

function notesOf(planned: PlannedObject): readonly Phrase[] {
  const { adopts, movedFrom, transferred, renamedFrom, rejoined, reason, notJudged, warnings = [] } = planned;
  const owners = adopts && adopts.owners.length > 0 ? phrase`, and ${ownersText(adopts.owners)} own fields of it` : emptyPhrase;
  return [
    ...(adopts ? [phrase`${wordsPhrase(plannedExistingText(adopts))}${owners}`] : []),
    ...(renamedFrom ? [phrase`renamed from ${renamedFrom.join(', ')}`] : []),
    ...(transferred ? [phrase`fields transferred from ${transferred.from}: ${transferred.fields.join(', ')}`] : []),
    ...(movedFrom ? [phrase`moved here from stack ${movedFrom}, with the right to delete it`] : []),
    ...(rejoined ? [wordsPhrase(rejoinedText(planned))] : []),
    ...(reason === undefined ? [] : [phrase`${reason}`]),
    ...(notJudged === undefined ? [] : [phrase`until then, the server refuses it: ${notJudged.refusal.message}`]),
    ...warnings.map((warning) => phrase`warning of the server: ${warning}`),
  ];
}
