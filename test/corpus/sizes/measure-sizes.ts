import { generateModules, readCrd } from '../../../codegen/index.js';
import { median } from '../../bench/figures.js';
import { peerImport } from '../peers/peer-import.js';
import { PeerProject } from '../peers/peer-project.js';
import { type CorpusCrd, readCorpus } from '../read-corpus.js';
import { plainCrd } from './plain-crd.js';
import { withoutComments } from './without-comments.js';

/** Bytes of all files of one import: as written, and without its comments. */
export interface Size {
  readonly written: number;
  readonly bare: number;
}

/** The sizes of what each tool writes for a CRD. */
export interface CrdSizes {
  readonly name: string;
  readonly ours: Size;
  /** Of `fieldwise import --no-docs`: relations stay as comments. */
  readonly withoutDocs: number;
  /** Ours of the same CRD without status and constraints, which cdk8s leaves out. */
  readonly plain: Size;
  readonly plainWithoutDocs: number;
  /** Of `cdk8s import`; or why it fails. */
  readonly cdk8s: Size | { readonly failure: string };
}

/** Measures each CRD of a corpus directory alone, as `fieldwise import FILE` writes it. */
export async function measureSizes(directory: string, progress: (text: string) => void): Promise<CrdSizes[]> {
  const peers = new PeerProject();
  await peers.install();
  const sizes: CrdSizes[] = [];
  for (const crd of readCorpus(directory)) {
    progress(crd.name);
    const output = await peerImport(peers, 'cdk8s-cli', crd.text);
    sizes.push({
      name: crd.name,
      ...(await ourSizes(crd)),
      cdk8s: 'failure' in output ? output : sizeOf(Object.values(output.files)),
    });
  }
  return sizes;
}

async function ourSizes({ document }: CorpusCrd): Promise<Pick<CrdSizes, 'ours' | 'withoutDocs' | 'plain' | 'plainWithoutDocs'>> {
  const write = async (crd: unknown, docs: boolean) => {
    const { files } = await generateModules(readCrd(crd, { docs }).roots, { docs });
    return files.map(({ text }) => text);
  };
  const bytes = (texts: readonly string[]) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return {
    ours: sizeOf(await write(document, true)),
    withoutDocs: bytes(await write(document, false)),
    plain: sizeOf(await write(plainCrd(document), true)),
    plainWithoutDocs: bytes(await write(plainCrd(document), false)),
  };
}

function sizeOf(texts: readonly string[]): Size {
  const sum = (bytes: (text: string) => number) => texts.reduce((total, text) => total + bytes(text), 0);
  return { written: sum((text) => Buffer.byteLength(text)), bare: sum((text) => Buffer.byteLength(withoutComments(text))) };
}

/** The report for people; `all` lists every CRD that is larger than with cdk8s by more than a tenth, and all failures. */
export function sizesText(sizes: readonly CrdSizes[], all: boolean): string {
  const compared = sizes.flatMap(({ cdk8s, ...rest }) => ('failure' in cdk8s ? [] : [{ ...rest, cdk8s }]));
  const failures = sizes.flatMap(({ name, cdk8s }) => ('failure' in cdk8s ? [`${name}: ${cdk8s.failure}`] : []));
  const row = (title: string, ours: (size: (typeof compared)[number]) => number, theirs: (size: (typeof compared)[number]) => number) => {
    const pairs = compared.map((size) => ({ name: size.name, ratio: ours(size) / theirs(size) })).sort((a, b) => b.ratio - a.ratio);
    const larger = pairs.filter(({ ratio }) => ratio > 1.1);
    const share = (limit: number) => pairs.filter(({ ratio }) => ratio > limit).length;
    const medians = [median(compared.map(ours)), median(compared.map(theirs))] as const;
    const named = (all ? larger : larger.slice(0, 3)).map(({ name, ratio }) => `${name} ${ratio.toFixed(2)}`);
    return [
      title,
      `  medians ${kilobytes(medians[0])} and ${kilobytes(medians[1])}: ${(medians[0] / medians[1]).toFixed(2)}×`,
      `  ratio of a CRD: ${quantiles(pairs.map(({ ratio }) => ratio))}; larger: ${share(1)} of ${pairs.length}`,
      `  larger by more than a tenth: ${larger.length}${named.length > 0 ? `: ${named.join(', ')}${named.length < larger.length ? ', …' : ''}` : ''}`,
    ];
  };
  const lines = [
    `${sizes.length} CRDs; cdk8s fails on ${failures.length}${failures.length > 0 ? `: ${failures.join('; ')}` : ''}`,
    ...(compared.length === 0
      ? []
      : [
          ...row(
            'as written, with comments (ours has status and constraints)',
            ({ ours }) => ours.written,
            ({ cdk8s }) => cdk8s.written,
          ),
          ...row(
            'as written, ours of the CRD without status and constraints',
            ({ plain }) => plain.written,
            ({ cdk8s }) => cdk8s.written,
          ),
          ...row(
            'comments taken out of both',
            ({ ours }) => ours.bare,
            ({ cdk8s }) => cdk8s.bare,
          ),
          ...row(
            'comments taken out of both, ours without status and constraints',
            ({ plain }) => plain.bare,
            ({ cdk8s }) => cdk8s.bare,
          ),
          ...row(
            'ours with --no-docs, cdk8s as written (it has no such switch)',
            ({ withoutDocs }) => withoutDocs,
            ({ cdk8s }) => cdk8s.written,
          ),
          ...row(
            'ours with --no-docs and without status and constraints, cdk8s as written',
            ({ plainWithoutDocs }) => plainWithoutDocs,
            ({ cdk8s }) => cdk8s.written,
          ),
        ]),
  ];
  return lines.map((line) => `  ${line}\n`).join('');
}

function quantiles(ratios: readonly number[]): string {
  const sorted = [...ratios].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number).toFixed(2);
  return `least ${at(0)}, quarter ${at(0.25)}, half ${at(0.5)}, three quarters ${at(0.75)}, nine tenths ${at(0.9)}, most ${at(1)}`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`;
}
