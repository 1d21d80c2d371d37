import { type Assessment, assessMessage } from './assess-message.js';
import { subjects as allSubjects } from './index.js';
import { type Mistake, type Subject, type Way, ways, wrongProgram } from './mistake.js';
import { MistakeProject } from './mistake-project.js';

/** What became of a mistake in one way of writing: `unwritable` there, `accepted` by the compiler, or refused with a message. */
export type MistakeOutcome = 'unwritable' | 'accepted' | Assessment;

export interface MistakeRow {
  readonly kind: string;
  readonly mistake: Mistake;
  readonly outcomes: Readonly<Record<Way, MistakeOutcome>>;
}

/** The mistakes under one compiler. */
export interface CompilerResult {
  readonly compiler: string;
  readonly rows: readonly MistakeRow[];
}

export interface MistakesResult {
  readonly results: readonly CompilerResult[];
  /** Kinds whose CRD no directory has. */
  readonly absent: readonly string[];
}

/**
 * Compiles every mistake in every way with every compiler. The correct programs are compiled first.
 *
 * @throws Error if a correct program does not compile: then nothing that follows would be about the mistake.
 */
export async function measureMistakes(directories: readonly string[], progress: (text: string) => void): Promise<MistakesResult> {
  const project = new MistakeProject();
  try {
    progress('types of the peers');
    const subjects = await project.prepare(allSubjects, directories);
    const programs = writePrograms(project, subjects);
    const files = programs.map(({ file }) => file);
    const results = project.compilers().map(({ name, ts }): CompilerResult => {
      progress(`mistakes, ${name}`);
      const messages = project.firstMessages(ts, files);
      const broken = programs.flatMap(({ file, mistake, subject, way }) => {
        const message = mistake === undefined ? messages.get(file) : undefined;
        return message === undefined ? [] : [`\n  ${subject.kind} (${way}): TS${message.code}: ${message.text} at ${message.marked}`];
      });
      if (broken.length > 0) throw new Error(`Correct programs do not compile with ${name}:${broken.join('')}`);
      const outcome = (subject: Subject, mistake: Mistake, way: Way): MistakeOutcome => {
        const program = programs.find((other) => other.subject === subject && other.mistake === mistake && other.way === way);
        if (program === undefined) return 'unwritable';
        const message = messages.get(program.file);
        return message === undefined ? 'accepted' : assessMessage(message, mistake);
      };
      const rows = subjects.flatMap((subject) =>
        subject.mistakes.map((mistake): MistakeRow => {
          const outcomes = Object.fromEntries(ways.map((way) => [way, outcome(subject, mistake, way)]));
          return { kind: subject.kind, mistake, outcomes: outcomes as MistakeRow['outcomes'] };
        }),
      );
      return { compiler: name, rows };
    });
    return { results, absent: allSubjects.filter((subject) => !subjects.includes(subject)).map(({ kind }) => kind) };
  } finally {
    project.remove();
  }
}

interface Program {
  readonly file: string;
  readonly subject: Subject;
  readonly way: Way;
  /** Absent in the correct program. */
  readonly mistake?: Mistake;
}

function writePrograms(project: MistakeProject, subjects: readonly Subject[]): Program[] {
  return subjects.flatMap((subject) =>
    ways.flatMap((way) => {
      const correct = subject.programs[way];
      if (correct === undefined) return [];
      const name = `${subject.kind}-${way}`;
      const wrong = subject.mistakes.flatMap((mistake, index): Program[] => {
        const text = wrongProgram(subject, mistake, way);
        return text === undefined ? [] : [{ file: project.write(`${name}-${index + 1}.ts`, text), subject, way, mistake }];
      });
      return [{ file: project.write(`${name}.ts`, correct), subject, way }, ...wrong];
    }),
  );
}
