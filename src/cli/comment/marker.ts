/** The run that writes a comment. */
export interface RunMark {
  /** Rises from run to run of a repository; undefined if unknown. */
  readonly id: number | undefined;
  /** The commit that was planned; undefined if unknown. */
  readonly commit: string | undefined;
}

/** Returns the first line of the comments of this name: invisible, and without a way out of the HTML comment. */
export function markerLine(name: string): string {
  return `<!-- fieldwise plan: ${encodeURIComponent(name.replace(/[\ud800-\udfff]/gu, '\ufffd'))} -->`;
}

/** Returns the second line, which tells a later run whose plan this is. */
export function runLine({ id, commit }: RunMark): string {
  return `<!-- fieldwise run: ${id ?? 0} ${commit ?? 'unknown'} -->`;
}

/** Returns true if the first line of a comment is this one. */
export function beginsWith(body: string, line: string): boolean {
  return body.startsWith(line) && /^\s*(?:\n|$)/.test(body.slice(line.length));
}

/** Returns the run that wrote a comment. */
export function runOf(body: string): RunMark {
  const [, id, commit] = /^[^\n]*\n<!-- fieldwise run: (\d{1,15}) ([0-9a-f]{7,64}|unknown) -->/.exec(body) ?? [];
  return { id: id === undefined || Number(id) === 0 ? undefined : Number(id), commit: commit === 'unknown' ? undefined : commit };
}

/** Returns true if a run began after another one, for another commit: its plan is the newer one. */
export function isNewer(run: RunMark, than: RunMark): boolean {
  return run.id !== undefined && than.id !== undefined && run.id > than.id && run.commit !== than.commit;
}
