import { isDeepStrictEqual } from 'node:util';
import type { ObjectReport } from '../../../src/deploy/index.js';
import { emptyFieldSet, type FieldPath, formatPath, membersOf, withoutPath } from '../../../src/fields/index.js';
import { applyEntryOf } from '../../../src/ownership/index.js';
import type { Json } from '../../../src/util/json.js';
import type { ResponseBody } from '../../harness/api-client.js';
import { fieldRows } from '../../harness/field-rows.js';
import type { History, Version } from './history.js';

/** Who wrote which state: resourceVersions by writer, and which of them nobody but `somebody` wrote. */
export interface Authors {
  /** Of answers to each stack's requests, by field manager. */
  readonly stacks: ReadonlyMap<string, ReadonlySet<string>>;
  readonly foreign: ReadonlySet<string>;
}

/** The report of one stack's run, and the states that existed when it began. */
export interface ReportedRun {
  readonly manager: string;
  readonly reports: readonly ObjectReport[];
  /** Number of states by object when the round began. */
  readonly from: ReadonlyMap<string, number>;
}

/** Fields that the mutating webhook sets on whatever passes. */
const ofWebhook: readonly string[] = ['.metadata.annotations.policy.example.com/checked', '.data.stamp'];

/** Where a run's report is not what happened. */
export function reportErrors(run: ReportedRun, history: History, authors: Authors): string[] {
  return run.reports.flatMap((report) => {
    const name = report.object.replace(/ \S*\//, ' ');
    const all = history.of(name);
    const during = all.slice(run.from.get(name) ?? 0);
    const before = all[(run.from.get(name) ?? 0) - 1];
    const ours = during.filter((version) => isOnlyOf(run.manager, version, authors));
    const errors = [
      ...unreportedChanges(run, report, [...(before ? [before] : []), ...during], authors),
      ...falseReports(report, run.manager, ours, all, authors),
    ];
    return errors.map((problem) => `${run.manager} ${report.object} (${report.result}): ${problem}`);
  });
}

/** Foreign values that a write of this stack changed without a word. */
function unreportedChanges({ manager }: ReportedRun, report: ObjectReport, chain: readonly Version[], authors: Authors): string[] {
  const reportedPaths = reportedFields(report);
  return chain.flatMap((version, index) => {
    const before = chain[index - 1];
    if (!before?.object || !version.object || version.gap || before.uid !== version.uid || !isOnlyOf(manager, version, authors)) return [];
    const { managedFields } = before.object.metadata;
    const after = fieldRows({ ...version.object, metadata: { ...version.object.metadata, managedFields } });
    return fieldRows(before.object).flatMap(({ path, value, owners }) => {
      const others = owners.filter((owner) => owner !== manager && !owner.startsWith(`${manager} (`));
      if (others.length === 0 || ofWebhook.includes(path)) return [];
      const now = after.find((row) => row.path === path)?.value;
      if (isDeepStrictEqual(now, value) || onlyGained(value, now) || reportedPaths.some((field) => touches(field, path))) return [];
      if (isDeepStrictEqual(...withoutOwnParts(path, manager, before.object, version.object))) return [];
      return [`${path} of ${others.join(', ')} went from ${JSON.stringify(value)} to ${JSON.stringify(now)}, unreported`];
    });
  });
}

/** The values of a field in two states, without the parts of it that a manager owned by themselves in the first: these it took earlier. */
function withoutOwnParts(field: string, manager: string, before: ResponseBody, after: ResponseBody): [ResponseBody, ResponseBody] {
  const own = membersOf(applyEntryOf(before, manager)?.fields ?? emptyFieldSet).filter(({ leaf }) => leaf);
  const isPart = (path: string) => path !== field && touches(field, path);
  const parts = own.map(({ path }) => path).filter((path) => isPart(formatPath(path)) && !isKey(path)); // keys find the rest of their item
  const { managedFields } = before.metadata;
  const valueIn = (object: ResponseBody) => {
    const rest = parts.reduce<Json>(withoutPath, { ...object, metadata: { ...object.metadata, managedFields } });
    return fieldRows(rest as ResponseBody).find(({ path }) => path === field)?.value;
  };
  return [valueIn(before), valueIn(after)];
}

function isKey(path: FieldPath): boolean {
  const [item, last] = path.slice(-2);
  return item?.kind === 'key' && last?.kind === 'field' && item.keys.some(([name]) => name === last.name);
}

/** A list that was atomic when its owner applied it, and is keyed now: others may add entries to it, and fields to its entries. */
function onlyGained(value: ResponseBody, now: ResponseBody): boolean {
  return Array.isArray(value) && Array.isArray(now) && value.every((item) => now.some((other) => isPartOf(item, other)));
}

function isPartOf(item: ResponseBody, other: ResponseBody): boolean {
  if (typeof item !== 'object' || typeof other !== 'object' || item === null || other === null) return isDeepStrictEqual(item, other);
  return Object.entries(item).every(([name, value]) => isDeepStrictEqual(value, other[name]));
}

function falseReports(
  report: ObjectReport,
  manager: string,
  ours: readonly Version[],
  all: readonly Version[],
  authors: Authors,
): string[] {
  const writes = ours.filter(({ object }) => object !== undefined);
  switch (report.result) {
    case 'unchanged':
    case 'conflict':
    case 'skipped':
      return writes.length > 0 ? [`it wrote ${writes.map((version) => version.resourceVersion)}`] : [];
    case 'created':
    case 'recreated':
      return writes.some((version) => version.uid === report.uid && firstOf(version.uid, all) === version)
        ? []
        : [`no state of uid ${report.uid} was made by it`];
    case 'updated':
      return (authors.stacks.get(manager)?.size ?? 0) > 0 && mayHaveWritten(manager, all, authors) ? [] : ['it wrote nothing'];
    case 'released': {
      const last = writes.at(-1);
      return last && applies(last.object, manager) ? [`${last.resourceVersion} has fields of it still`] : [];
    }
    case 'deleted':
      return all.some((version) => version.object === undefined || version.object.metadata.deletionTimestamp)
        ? []
        : ['it was never deleted'];
    case 'absent': {
      const now = all.at(-1);
      const steady = now?.object !== undefined && firstOf(now.uid, all) === all[0] && !now.object.metadata.deletionTimestamp;
      return steady && applies(now.object, manager) ? ['it is there, and has fields of it'] : [];
    }
    default:
      return [];
  }
}

function mayHaveWritten(manager: string, all: readonly Version[], { stacks, foreign }: Authors): boolean {
  return all.some(({ resourceVersion }) => stacks.get(manager)?.has(resourceVersion) && !foreign.has(resourceVersion));
}

/** Returns true if a state was written by this stack and by no other that received the same resourceVersion. */
function isOnlyOf(manager: string, { resourceVersion }: Version, { stacks, foreign }: Authors): boolean {
  if (foreign.has(resourceVersion)) return false;
  const writers = [...stacks].filter(([, versions]) => versions.has(resourceVersion)).map(([writer]) => writer);
  return writers.length === 1 && writers[0] === manager;
}

function firstOf(uid: string, all: readonly Version[]): Version | undefined {
  return all.find((version) => version.uid === uid);
}

function applies(object: ResponseBody, manager: string): boolean {
  return (object?.metadata.managedFields ?? []).some(
    (entry: ResponseBody) => entry.manager === manager && entry.operation === 'Apply' && Object.keys(entry.fieldsV1 ?? {}).length > 0,
  );
}

/** Every field path that a report names, wherever it does. */
function reportedFields(report: unknown): string[] {
  if (Array.isArray(report)) return report.flatMap(reportedFields);
  if (typeof report !== 'object' || report === null) return [];
  return Object.entries(report).flatMap(([name, value]) =>
    name === 'field' && typeof value === 'string' ? [value] : reportedFields(value),
  );
}

/** Returns true if one of two paths contains the other. */
function touches(one: string, other: string): boolean {
  const inside = (outer: string, inner: string) => inner.startsWith(outer) && /^([.[]|$)/.test(inner.slice(outer.length));
  return inside(one, other) || inside(other, one);
}
