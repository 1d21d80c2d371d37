/** What `npm run campaign -- corpus` can measure. */
export const allMeasures = ['objects', 'names', 'sizes', 'suggestions', 'mistakes'] as const;
export type Measure = (typeof allMeasures)[number];

export const usage = `usage: npm run campaign -- corpus [--all] [--only ${allMeasures.join('|')}] DIR…`;

export interface CorpusArguments {
  readonly directories: readonly string[];
  readonly measures: ReadonlySet<Measure>;
  /** Prints details, and what holds. */
  readonly all: boolean;
}

/** Reads the command line; `isCorpus` says whether a directory has CRDs. Answers with what is wrong about the words, if anything is. */
export function corpusArguments(
  words: readonly string[],
  isCorpus: (directory: string) => boolean,
): CorpusArguments | { readonly wrong: string } {
  const directories: string[] = [];
  const only: Measure[] = [];
  let all = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (word === '--all') all = true;
    else if (word === '--only') {
      const name = words[++index];
      const measure = allMeasures.find((known) => known === name);
      if (measure === undefined) return { wrong: `${name ?? 'nothing'} is no measure` };
      only.push(measure);
    } else directories.push(word);
  }
  if (directories.length === 0) return { wrong: 'no directory is given' };
  const wrong = directories.find((directory) => directory.startsWith('-') || !isCorpus(directory));
  if (wrong !== undefined) return { wrong: `${wrong} has no crds/ directory` };
  return { directories, measures: new Set(only.length > 0 ? only : allMeasures), all };
}
