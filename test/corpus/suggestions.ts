import { join } from 'node:path';
import { overlayCrd, ownershipReport, parseListType, type ShareableList } from 'fieldwise/codegen';
import { shippedRoots } from '../../src/cli/import/read/builtin.js';
import { readSamples } from '../../src/cli/import/read/samples.js';
import {
  type BuiltInShape,
  builtInShapes,
  deducedName,
  hiddenFields,
  judgeBySamples,
  pathStep,
  type RootType,
  readCrd,
  resolve,
  type SampleObject,
  sampleLists,
  suggestKeys,
  type TypeRef,
  untypedName,
} from '../../src/schema/index.js';
import { readCorpus } from './read-corpus.js';

/** How good the suggestions of list map keys are, measured on a directory of CRDs. */
export interface Figures {
  /** Lists whose authors declared keys, judged as if they had not. `none`: no suggestion. */
  readonly declared: Readonly<Record<'same' | 'sameLow' | 'other' | 'otherLow' | 'none', number>>;
  /** Declared lists with another suggestion of high confidence. */
  readonly disagreements: readonly string[];
  /** Atomic lists of objects, by the confidence of the suggestion. */
  readonly atomic: Readonly<Record<'high' | 'low' | 'none', number>>;
  /** The offered flags, with the reasons. */
  readonly offered: readonly string[];
  /** Offered flags that `overlayCrd` refuses, as the API server would. */
  readonly refused: readonly string[];
  /** Suggestions of high confidence made without samples: those that some sample can judge, and those that one refutes. */
  readonly judged: number;
  readonly refuted: readonly string[];
  /** Suggestions of high confidence made with samples that one refutes nevertheless. */
  readonly refutedWithSamples: readonly string[];
}

/**
 * Measures the suggestions of `fieldwise import --report` on a corpus directory, with the objects in `examples/` as samples.
 *
 * @param more further directories or files with samples.
 */
export async function suggestions(directory: string, more: readonly string[] = []): Promise<Figures> {
  const builtIn = await shippedRoots();
  const shapes = builtInShapes(builtIn);
  const samples: SampleObject[] = [];
  for (const source of [join(directory, 'examples'), ...more]) {
    const read = await readSamples(source, '.').catch(() => ({ samples: [] }));
    samples.push(...read.samples);
  }
  const declared = { same: 0, sameLow: 0, other: 0, otherLow: 0, none: 0 };
  const atomic = { high: 0, low: 0, none: 0 };
  const figures = { disagreements: [], offered: [], refused: [], refuted: [], refutedWithSamples: [] } as Record<Texts, string[]>;
  let judged = 0;
  for (const { name, document } of readCorpus(directory)) {
    const { roots } = readCrd(document, { docs: true });
    for (const root of roots) countDeclared(root, shapes, declared, figures.disagreements);
    const reports = ownershipReport(roots, { builtIn });
    const withSamples = ownershipReport(roots, { builtIn, samples });
    for (const [index, root] of roots.entries()) {
      const seen = sampleLists(root, samples);
      const isRefuted = (list: ShareableList) =>
        judgeBySamples(list, root.schema, elementAt(root, list.path), seen.get(list.path)).confidence === 'none';
      for (const list of reports[index]?.shareable ?? []) {
        atomic[list.confidence] += 1;
        if (list.listType !== undefined) figures.offered.push(`${name}: ${list.listType} (${list.reason})`);
        if (list.confidence !== 'high') continue;
        if (seen.get(list.path)?.some(({ items }) => items.length > 1)) judged += 1;
        if (isRefuted(list)) figures.refuted.push(`${name} ${list.path}=${list.keys.join()}`);
      }
      for (const list of withSamples[index]?.shareable ?? []) {
        if (list.confidence === 'high' && isRefuted(list)) figures.refutedWithSamples.push(`${name} ${list.path}=${list.keys.join()}`);
      }
    }
    for (const type of new Set(reports.flatMap(({ shareable }) => shareable.flatMap(({ listType }) => listType ?? [])))) {
      try {
        overlayCrd(document, [parseListType(type)]);
      } catch (error) {
        figures.refused.push(`${name}: ${type}: ${String(error)}`);
      }
    }
  }
  return { declared, atomic, judged, ...figures };
}

type Texts = 'disagreements' | 'offered' | 'refused' | 'refuted' | 'refutedWithSamples';

/** Describes the figures for `npm run campaign -- corpus`. */
export function describeSuggestions({
  declared,
  disagreements,
  atomic,
  offered,
  refused,
  judged,
  refuted,
  refutedWithSamples,
}: Figures): string {
  const { same, sameLow, other, otherLow, none } = declared;
  const share = (count: number, of: number) => (of === 0 ? '–' : `${((100 * count) / of).toFixed(1)} %`);
  return [
    `  Keys that authors declared: ${same + other + sameLow + otherLow + none} lists; with high confidence ${same} the same, ${other} others (${share(same, same + other)} agree); with low confidence ${sameLow} the same, ${otherLow} others; no suggestion ${none}`,
    ...disagreements.map((text) => `    OTHER ${text}`),
    `  Atomic lists of objects: ${atomic.high + atomic.low + atomic.none}; confidence high ${atomic.high}, low ${atomic.low}, none ${atomic.none}; flags offered ${offered.length}, refused by the reader of list types ${refused.length}`,
    ...refused.map((text) => `    REFUSED ${text}`),
    `  Samples can judge ${judged} suggestions of high confidence, and refute ${refuted.length}; ${refutedWithSamples.length} once they are passed as --samples`,
    ...refuted.map((text) => `    REFUTED ${text}`),
    '',
  ].join('\n');
}

function countDeclared(
  root: RootType,
  shapes: readonly BuiltInShape[],
  declared: { -readonly [Name in keyof Figures['declared']]: number },
  disagreements: string[],
): void {
  visitLists(root, ({ path, field, ref }) => {
    const { list, description } = resolve(root.schema, ref);
    if (list === undefined || list.keys.length === 0) return;
    const { keys, confidence, reason } = suggestKeys(
      root.schema,
      field,
      { relation: 'atomic', keys: [], element: list.element },
      shapes,
      description,
    );
    if (confidence === 'none') {
      declared.none += 1;
      return;
    }
    const agrees = keys.toSorted().join() === list.keys.toSorted().join();
    declared[`${agrees ? 'same' : 'other'}${confidence === 'low' ? 'Low' : ''}`] += 1;
    if (!agrees && confidence === 'high')
      disagreements.push(`${root.kind} ${root.apiVersion} ${path}: ${list.keys.join()}, suggested ${keys.join()} (${reason})`);
  });
}

function elementAt(root: RootType, path: string): TypeRef {
  let found: TypeRef | undefined;
  visitLists(root, (list) => {
    if (list.path === path) found = resolve(root.schema, list.ref).list?.element;
  });
  if (found === undefined) throw new Error(`${root.kind} has no list ${path}`);
  return found;
}

interface ListPosition {
  readonly path: string;
  /** Name of the innermost field. */
  readonly field: string;
  readonly ref: TypeRef;
}

/** Visits the lists of a kind that a stack can declare: without metadata, and without status where it has a subresource. */
function visitLists(root: RootType, found: (list: ListPosition) => void): void {
  const hidden = new Set(['apiVersion', 'kind', 'metadata', ...hiddenFields(root).keys()]);
  const visit = (ref: TypeRef, path: string, field: string): void => {
    if ('name' in ref && (ref.name === deducedName || ref.name === untypedName)) return;
    const { scalar, list, map } = resolve(root.schema, ref);
    if (scalar !== undefined || (list !== undefined && map !== undefined)) return;
    if (list !== undefined) {
      found({ path, field, ref });
      visit(list.element, `${path}[]`, field);
    }
    for (const [name, member] of map?.fields ?? []) visit(member.type, `${path}${pathStep(name)}`, name);
    if (map?.element !== undefined) visit(map.element, `${path}.*`, field);
  };
  for (const [name, member] of resolve(root.schema, root.type).map?.fields ?? [])
    if (!hidden.has(name)) visit(member.type, pathStep(name), name);
}
