import { fromObject } from 'fieldwise/builders';
import { type JsonObject, jsonEqual } from '../../src/util/json.js';
import { type GeneratedCrd, generateCrd } from './generated-crd.js';
import { literalText } from './literal-text.js';
import { type Part, partsOf } from './parts-of.js';
import { type CorpusCrd, type CorpusObject, readCorpus } from './read-corpus.js';
import { ScratchProject } from './scratch-project.js';
import { uncheckedReason } from './unchecked-reason.js';

/** One thing that was to hold, and why it does not; `note` says what an onlooker should know of one that does. */
export interface Outcome {
  readonly what: string;
  readonly failure?: string;
  readonly note?: string;
}

export interface CorpusResult {
  readonly outcomes: readonly Outcome[];
  /** By what refused the invalid objects. */
  readonly refusals: Readonly<Record<Refusal, number>>;
}

export type Refusal = 'compiler' | 'build' | 'complete build' | 'reader' | 'nobody';

/** An object of the corpus on its way: what the compiler is to look at, and what the builders said. */
interface Case {
  readonly crd: CorpusCrd;
  readonly object: CorpusObject;
  readonly valid: boolean;
  readonly parts: readonly Part[];
  /** Program files: the literal, and `fromObject`. */
  readonly literal: string;
  readonly built: string;
}

/** Runs a corpus directory in the workshop. */
export async function runCorpus(directory: string, progress: (text: string) => void): Promise<CorpusResult> {
  const workshop = new ScratchProject();
  try {
    const outcomes: Outcome[] = [];
    const modules: { readonly name: string; readonly file: string }[] = [];
    const cases: Case[] = [];
    const refusals = { compiler: 0, build: 0, 'complete build': 0, reader: 0, nobody: 0 };
    for (const crd of readCorpus(directory)) {
      progress(crd.name);
      const generated = await generateCrd(crd, workshop);
      outcomes.push({
        what: `crds/${crd.name}: generated twice, the same bytes`,
        ...(generated.differs.length === 0 ? {} : { failure: `other bytes in ${generated.differs.join(', ')}` }),
      });
      for (const file of generated.files) modules.push({ name: crd.name, file });
      for (const valid of [true, false]) {
        for (const object of valid ? crd.examples : crd.invalid) {
          const made = prepare(crd, generated, object, valid, workshop, cases.length);
          if ('parts' in made) cases.push(made);
          else outcomes.push(made);
          if (!('parts' in made) && !valid && made.failure === undefined) refusals.reader += 1;
        }
      }
    }
    progress('type check');
    const errorsOf = workshop.check([...modules.map(({ file }) => file), ...cases.flatMap(({ literal, built }) => [literal, built])]);
    for (const { name, file } of modules) {
      const [error] = errorsOf(file);
      outcomes.push({ what: `crds/${name}: the module compiles`, ...(error === undefined ? {} : { failure: error }) });
    }
    for (const item of cases) outcomes.push(...(item.valid ? judgeValid(item, errorsOf) : [judgeInvalid(item, errorsOf, refusals)]));
    return { outcomes, refusals };
  } finally {
    workshop.remove();
  }
}

function prepare(
  crd: CorpusCrd,
  generated: GeneratedCrd,
  object: CorpusObject,
  valid: boolean,
  workshop: ScratchProject,
  index: number,
): Case | Outcome {
  const { file, content } = object;
  if ('unreadable' in content)
    return { what: file, ...(valid ? { failure: content.unreadable } : { note: `refused by the YAML reader: ${content.unreadable}` }) };
  const parts = partsOf(content.value, generated.roots);
  if (parts === undefined) {
    const failure = `the CRD has no version ${String(content.value.apiVersion)} of ${String(content.value.kind)}`;
    return { what: file, ...(valid ? { failure } : { note: `refused: ${failure}` }) };
  }
  const program = (kind: string, line: (part: Part) => string) =>
    workshop.write(`cases/${index}-${kind}.ts`, `${parts.map(importText).join('')}${parts.map(line).join('')}`);
  return {
    crd,
    object,
    valid,
    parts,
    literal: program('literal', ({ root, value }) => `export const of${root.base}: ${root.base}Apply = ${literalText(value)};\n`),
    built: program('built', ({ root, value }) => {
      return `export const of${root.base} = fromObject(${root.constructorName}, ${literalText(value)});\n`;
    }),
  };
}

function importText({ root }: Part, index: number): string {
  const runTime = index === 0 ? `import { fromObject } from 'fieldwise/builders';\n` : '';
  return `${runTime}import { ${root.constructorName}, type ${root.base}Apply } from '../${root.module}.js';\n`;
}

function judgeValid({ object: { file }, parts, literal, built }: Case, errorsOf: (file: string) => readonly string[]): Outcome[] {
  const compiled = (what: string, program: string): Outcome => {
    const [error] = errorsOf(program);
    return { what: `${file}: ${what}`, ...(error === undefined ? {} : { failure: error }) };
  };
  const failures = parts.map(({ root, value }, index) => {
    // What is in `status` of a file was never checked by the server that took the file: it dropped it.
    const result = build(root.construct, value, index === 0);
    if ('refused' in result) return result.refused;
    return jsonEqual(result.value, value) ? undefined : 'build() gives another object';
  });
  const failure = failures.find((text) => text !== undefined);
  return [
    compiled('compiles as a literal', literal),
    compiled('compiles as fromObject(…)', built),
    { what: `${file}: builds to itself`, ...(failure === undefined ? {} : { failure }) },
  ];
}

function judgeInvalid(item: Case, errorsOf: (file: string) => readonly string[], refusals: Record<Refusal, number>): Outcome {
  const { crd, object, parts, literal, built } = item;
  const refusal = (by: Refusal, why: string): Outcome => {
    refusals[by] += 1;
    return { what: object.file, note: `refused by ${by}: ${why}` };
  };
  const [error] = [...errorsOf(literal), ...errorsOf(built)];
  if (error !== undefined) return refusal('compiler', error);
  for (const complete of [false, true]) {
    for (const { root, value } of parts) {
      const result = build(root.construct, value, complete);
      if ('refused' in result) return refusal(complete ? 'complete build' : 'build', result.refused);
    }
  }
  const reason = uncheckedReason(crd.document, parts[0]?.value.apiVersion, object.answer ?? '');
  if (reason === undefined)
    return { what: object.file, failure: `nothing refuses it; the server: ${object.answer ?? 'no answer is kept'}` };
  refusals.nobody += 1;
  return { what: object.file, note: `beyond a schema: ${reason}` };
}

function build(
  construct: GeneratedCrd['roots'][number]['construct'],
  value: JsonObject,
  complete: boolean,
): { readonly value: JsonObject } | { readonly refused: string } {
  try {
    return { value: fromObject(construct as never, value as never).build({ complete }) as JsonObject };
  } catch (error) {
    return {
      refused: error instanceof Error ? String((error as { describe?: () => string }).describe?.() ?? error.message) : String(error),
    };
  }
}
