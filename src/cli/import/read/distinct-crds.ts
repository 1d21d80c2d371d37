import { FieldwiseError } from '../../../util/error.js';
import type { JsonObject } from '../../../util/json.js';
import { jsonEqual } from '../../../util/json.js';
import type { SourceCrd } from './cluster.js';
import type { CrdIdentity } from './crd-parts.js';
import { comparableCrd, identifyCrd } from './crd-parts.js';
import type { Skipped } from './skipped.js';
import type { ImportSource } from './source.js';

/** A CRD of a source, of which another source or file may contain a copy. */
export interface DistinctCrd extends SourceCrd {
  /** True if another source has the same CRD, which is read in its place. */
  readonly isCopy: boolean;
}

export interface DistinctSource {
  readonly source: ImportSource;
  readonly crds: readonly DistinctCrd[];
  readonly skipped: readonly Skipped[];
  readonly problems: readonly FieldwiseError[];
}

/**
 * Chooses one of the copies of each CRD: the one with the most descriptions, among equals the first. Copies may differ in everything that
 * builders do not depend on, such as a conversion webhook. Leaves out patches and other parts of CRDs in directories.
 *
 * @throws FieldwiseError `crd-twice` for copies that differ; in a directory it is a problem of the source.
 */
export function distinctCrds(sources: readonly ImportSource[]): readonly DistinctSource[] {
  const found = sources.flatMap((source) =>
    source.crds.map((crd): FoundCrd => ({ ...crd, source, identity: identifyCrd(crd.document, crd.version) })),
  );
  const isPart = (crd: FoundCrd) => crd.several === true && crd.identity.isFragment;
  const results = new Map(
    sources.map((source) => [source, { crds: [] as DistinctCrd[], skipped: [] as Skipped[], problems: [] as FieldwiseError[] }]),
  );
  const resultOf = ({ source }: FoundCrd) => results.get(source) as NonNullable<ReturnType<typeof results.get>>;
  for (const crd of found) {
    if (!isPart(crd)) continue;
    resultOf(crd).skipped.push({ what: 'patch', text: `${crd.location} is only a part of a CustomResourceDefinition` });
  }
  const differing: Pair[] = [];
  for (const group of groupsOf(found.filter((crd) => !isPart(crd)))) {
    const choice = chooseOne(group);
    if (!('source' in choice)) {
      if (group.some(({ several }) => several !== true)) throw choice instanceof FieldwiseError ? choice : twice([choice]);
      if (choice instanceof FieldwiseError) resultOf(group[0] as FoundCrd).problems.push(choice);
      else differing.push(choice);
      continue;
    }
    resultOf(choice).crds.push({ ...choice, isCopy: false });
    const copied = new Set([choice.source]);
    for (const crd of group) {
      if (crd === choice) continue;
      if (!copied.has(crd.source)) resultOf(crd).crds.push({ ...crd, isCopy: true });
      copied.add(crd.source);
      const isSame = crd.location === choice.location;
      const text = `${crd.location} is ${isSame ? 'named by two sources' : `the same CustomResourceDefinition as ${choice.location}`}`;
      resultOf(crd).skipped.push({ what: 'copy', text });
    }
  }
  for (const pairs of byDirectories(differing)) resultOf(pairs[0].first).problems.push(twice(pairs));
  return [...results].map(([source, result]) => ({ source, ...result }));
}

interface FoundCrd extends SourceCrd {
  readonly source: ImportSource;
  readonly identity: CrdIdentity;
}

/** Groups CRDs that share a kind of a version. A CRD without a kind is alone. A whole CRD joins the parts that name one version of it. */
function groupsOf(crds: readonly FoundCrd[]): readonly (readonly FoundCrd[])[] {
  const groups = new Set<FoundCrd[]>();
  const byKind = new Map<string, FoundCrd[]>();
  const wholeFirst = [...crds.filter(isWhole), ...crds.filter((crd) => !isWhole(crd))];
  for (const crd of wholeFirst) {
    const { kinds } = crd.identity;
    const group = kinds.map((kind) => byKind.get(kind)).find((known) => known !== undefined) ?? [];
    group.push(crd);
    groups.add(group);
    for (const kind of kinds) if (!byKind.has(kind)) byKind.set(kind, group);
  }
  return [...groups];
}

function isWhole({ version }: SourceCrd): boolean {
  return version === undefined;
}

function chooseOne(group: readonly FoundCrd[]): FoundCrd | Pair | FieldwiseError {
  // An old form of a CRD beside its present one is expected.
  const present = group.filter(({ identity }) => !identity.isOld);
  const [first, ...others] = present.length === 0 ? group : present;
  if (first === undefined) throw new Error('A group of CRDs is empty.');
  if (others.length === 0) return first;
  try {
    const comparable = comparableCrd(first.document, first.location);
    for (const other of others) {
      if (jsonEqual(comparableCrd(other.document, other.location), comparable)) continue;
      return { first, second: other };
    }
  } catch (error) {
    if (error instanceof FieldwiseError) return error;
    throw error;
  }
  // Of several copies, that with the descriptions is longer.
  const length = ({ document }: FoundCrd) => JSON.stringify((document as JsonObject).spec).length;
  return others.reduce((best, other) => (isWhole(other) === isWhole(first) && length(other) > length(best) ? other : best), first);
}

/** Two CRDs that share a kind and differ. */
interface Pair {
  readonly first: FoundCrd;
  readonly second: FoundCrd;
}

function byDirectories(pairs: readonly Pair[]): readonly [Pair, ...Pair[]][] {
  const groups = new Map<string, [Pair, ...Pair[]]>();
  for (const pair of pairs) {
    const key = JSON.stringify([directoryOf(pair.first), directoryOf(pair.second)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [pair]);
    else group.push(pair);
  }
  return [...groups.values()];
}

/** The number of kinds that an error names. */
const shownKinds = 3;

/** Returns one error for pairs of the same two directories. */
function twice(pairs: readonly [Pair, ...Pair[]]): FieldwiseError {
  const [{ first, second }] = pairs;
  const kinds = pairs.map((pair) => pair.first.identity.kinds[0] ?? '');
  const rest = kinds.length > shownKinds ? ` and ${kinds.length - shownKinds} more` : '';
  const [one, other] = pairs.length === 1 ? [first.location, second.location] : [directoryOf(first), directoryOf(second)];
  return new FieldwiseError(
    'crd-twice',
    'usage',
    pairs.length === 1
      ? `${kinds[0]} is defined twice with different schemas, in ${one} and in ${other}`
      : `${kinds.length} kinds are defined twice with different schemas, in ${one} and in ${other}: ${kinds.slice(0, shownKinds).join(', ')}${rest}`,
    { location: { file: other }, next: 'Pass only one of the two, or separate them with NAME:=SPEC.' },
  );
}

function directoryOf({ location }: FoundCrd): string {
  return location.includes('/') ? location.slice(0, location.lastIndexOf('/')) : location;
}
