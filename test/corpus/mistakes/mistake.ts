/** How a person can write an object: as our literal, with our builders, or with the types of a peer. */
export const ways = ['literal', 'builder', 'cdk8s', 'client-node', 'kubernetes-models'] as const;
export type Way = (typeof ways)[number];

/** A correct program in each way in which a kind can be written, and the mistakes that people make in it. */
export interface Subject {
  readonly kind: string;
  /** The CRD in the corpus, such as `cert-manager.io/certificates`; absent for the built-in API. */
  readonly crd?: string;
  /** Programs that compile. The modules of the CRD are at `./ours/…`, `./cdk8s/…` and `./models/…`. */
  readonly programs: Readonly<Partial<Record<Way, string>>>;
  readonly mistakes: readonly Mistake[];
}

/** One mistake: a text of the correct program and what a person wrote in its place. */
export interface Mistake {
  readonly what: string;
  /** The field that a good message names. */
  readonly field: string;
  /** What a good message suggests. */
  readonly meant?: string;
  /** The text that is replaced, in each program that has it, and the text in its place. */
  readonly change?: Change;
  /** The same in the words of one way; null: it cannot be written there. */
  readonly ways?: Readonly<Partial<Record<Way, Change | null>>>;
  /** True if it need not be a mistake: a library that takes it saves a guess. */
  readonly guess?: boolean;
}

export type Change = readonly [correct: string, wrong: string];

/** Returns the wrong program, or undefined if the mistake cannot be written in this way. */
export function wrongProgram({ programs }: Subject, mistake: Mistake, way: Way): string | undefined {
  const program = programs[way];
  const own = mistake.ways?.[way];
  const change = own === undefined ? mistake.change : (own ?? undefined);
  if (program === undefined || change === undefined) return undefined;
  const [correct, wrong] = change;
  if (program.includes(correct)) return program.replace(correct, () => wrong);
  if (own !== undefined) throw new Error(`The ${way} of a ${mistake.what} has no ${JSON.stringify(correct)}.`);
  return undefined;
}
