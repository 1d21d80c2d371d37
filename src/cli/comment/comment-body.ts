/** The parts of a comment. */
export interface CommentParts {
  /** Invisible lines: the marker and the run. */
  readonly marks: readonly string[];
  readonly heading: string;
  /** The plan in Markdown, or the reason why there is none. */
  readonly plan: string;
  /** Lines below the plan. */
  readonly footer: readonly string[];
}

/** Joins the parts of a comment. The plan is cut at the end of a line where the whole would be too long. */
export function commentBody({ marks, heading, plan, footer }: CommentParts, maxCharacters: number): string {
  const join = (text: string) => [...marks, heading, '', text.trim(), '', ...footer].join('\n').trim();
  const whole = join(plan);
  return whole.length <= maxCharacters ? whole : join(cut(plan.trim(), maxCharacters - join('').length));
}

const note = '_The plan is longer than a comment can be. The log of the job shows all of it._';

/** Cuts Markdown after the last whole line that fits, and closes what is open there. */
function cut(markdown: string, maxCharacters: number): string {
  const lines = markdown.split('\n');
  let length = 0;
  let kept = 0;
  const open = new OpenBlocks();
  for (const [index, line] of lines.entries()) {
    length += line.length + 1;
    open.read(line);
    if (length + open.closing.length + note.length + 4 > maxCharacters) break;
    kept = index + 1;
  }
  const blocks = new OpenBlocks();
  const shown = lines.slice(0, kept);
  for (const line of shown) blocks.read(line);
  return `${shown.join('\n')}\n${blocks.closing}\n${note}`;
}

/** The blocks that are open after some lines: a fence, and folded parts. */
class OpenBlocks {
  #fence: string | undefined;
  #details = 0;

  read(line: string): void {
    const [, fence] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (this.#fence !== undefined) {
      if (fence?.startsWith(this.#fence) && line.trim() === fence) this.#fence = undefined;
      return;
    }
    this.#fence = fence;
    if (/^<details\b/.test(line)) this.#details += 1;
    if (/<\/details>\s*$/.test(line) && this.#details > 0) this.#details -= 1;
  }

  get closing(): string {
    return `${this.#fence === undefined ? '' : `${this.#fence}\n`}${'\n</details>'.repeat(this.#details)}\n`;
  }
}
