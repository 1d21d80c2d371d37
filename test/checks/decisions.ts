import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './command.js';

export type Texts = Readonly<Record<string, string>>;

/** Names errors in the form, the numbers and the table of `docs/decisions`, and comments that name a missing decision. */
export function decisionProblems(): string[] {
  const directory = join(root, 'docs/decisions');
  const decisions = Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]));
  return [
    ...decisionProblemsIn(decisions),
    ...danglingReferences(Object.keys(decisions), sources()),
    ...missingPaths(decisions, (path) => existsSync(join(root, path))),
  ];
}

/** Names the paths of the repository in backticks, such as `src/fields`, that are gone. */
export function missingPaths(texts: Texts, exists: (path: string) => boolean): string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    [...text.matchAll(/`((?:src|test|codegen|generated|examples|docs|templates|api)\/[\w./-]+)`/g)]
      .filter(([, path]) => !exists(path as string))
      .map(([, path]) => `${name}: ${path} does not exist`),
  );
}

/** Names the errors in texts by file name, including the table in `README.md`. */
export function decisionProblemsIn(texts: Texts): string[] {
  const names = Object.keys(texts)
    .filter((name) => name !== 'README.md')
    .sort();
  const problems = names.flatMap((name, index) => [
    ...numberProblems(name, index + 1),
    ...formProblems(name, texts[name] as string, names.length),
  ]);
  const rows = [...(texts['README.md'] ?? '').matchAll(/^\| \[.*$/gm)].map(([row]) => row);
  const expected = names.map((name) => rowOf(name, texts[name] as string));
  return [
    ...problems,
    ...expected.filter((row) => !rows.includes(row)).map((row) => `README.md: the table lacks this row: ${row}`),
    ...rows.filter((row) => !expected.includes(row)).map((row) => `README.md: no decision has this row: ${row}`),
  ];
}

/** Comments name decisions as `docs/decisions/07` or by the whole file name. */
export function danglingReferences(names: readonly string[], texts: Texts): string[] {
  return Object.entries(texts).flatMap(([path, text]) =>
    [...text.matchAll(/docs\/decisions\/(\d\d(?:-[a-z\d-]+)?)/g)]
      .filter(([, reference]) => !names.some((name) => name === `${reference}.md` || name.startsWith(`${reference}-`)))
      .map(([reference]) => `${path}: ${reference} does not exist`),
  );
}

function numberProblems(name: string, number: number): string[] {
  if (!/^\d\d-[a-z\d-]+\.md$/.test(name)) return [`${name}: the name of a decision is NN-words-of-the-title.md`];
  const expected = String(number).padStart(2, '0');
  return name.startsWith(expected) ? [] : [`${name}: the numbers have a gap or a repetition; this one should be ${expected}`];
}

function formProblems(name: string, text: string, count: number): string[] {
  const status = statusOf(text);
  const successor = /^superseded by (\d+)$/.exec(status ?? '')?.[1];
  return [
    ...(/^# (?!\d)\S.*\n\n- Status: .*\n- Date: .*\n\n/.test(text)
      ? []
      : [`${name}: begins with "# title", an empty line, "- Status: …" and "- Date: …"; the title has no number`]),
    ...(status === 'accepted' || successor !== undefined ? [] : [`${name}: the status is "accepted" or "superseded by N"`]),
    ...(successor === undefined || (Number(successor) > Number.parseInt(name, 10) && Number(successor) <= count)
      ? []
      : [`${name}: is superseded by ${successor}, which is not a later decision`]),
    ...(/^\d{4}-\d\d-\d\d$/.test(dateOf(text) ?? '') ? [] : [`${name}: the date has the form 2026-11-21`]),
  ];
}

function rowOf(name: string, text: string): string {
  return `| [${name.slice(0, 2)}](${name}) | ${/^# (.*)/.exec(text)?.[1]} | ${statusOf(text)} | ${dateOf(text)} |`;
}

function statusOf(text: string): string | undefined {
  return /^- Status: (.*)$/m.exec(text)?.[1];
}

function dateOf(text: string): string | undefined {
  return /^- Date: (.*)$/m.exec(text)?.[1];
}

function sources(): Texts {
  const paths = ['src', 'codegen', 'test', 'examples'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('checks'))
      .map((name) => `${top}/${name}`),
  );
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}
