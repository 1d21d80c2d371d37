/** Returns the rules of CONTRIBUTING.md that the subject of a commit breaks. */
export function subjectProblems(subject: string): readonly string[];
