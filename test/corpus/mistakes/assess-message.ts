import type ts from 'typescript';
import { pascalCase } from '../../../src/schema/index.js';
import type { Mistake } from './mistake.js';

/** The first message of a compiler about a mistake. */
export interface CompilerMessage {
  readonly code: number;
  /** All lines, as `tsc` prints them. */
  readonly text: string;
  /** The source text that the message is about, and what stands before it on its line. */
  readonly marked: string;
  readonly before: string;
}

/** What a message is worth to the person who made the mistake. */
export interface Assessment {
  readonly message: CompilerMessage;
  /** Its words name the field, or the method that sets it. */
  readonly names: boolean;
  /** It marks the name of the field in the source, or the argument of its method. */
  readonly marks: boolean;
  /** It asks "Did you mean" with what was meant; undefined if there is nothing to suggest. */
  readonly suggests?: boolean;
  /** It lists a few of many and leaves out the rest: "and 109 more". */
  readonly cut: boolean;
}

export function assessMessage(message: CompilerMessage, { field, meant }: Mistake): Assessment {
  return {
    message,
    names: mentions(message.text, field),
    marks: marks(message, field),
    ...(meant === undefined
      ? {}
      : { suggests: suggestions(message.text).some((text) => text.includes(meant) || text.includes(pascalCase(meant))) }),
    cut: /\b\d+ more\b/.test(message.text),
  };
}

/** Returns the message of a diagnostic. */
export function messageOf(compiler: typeof ts, { messageText, code, file, start, length }: ts.Diagnostic): CompilerMessage {
  const text = compiler.flattenDiagnosticMessageText(messageText, '\n');
  if (file === undefined || start === undefined) return { code, text, marked: '', before: '' };
  const before = file.text.slice(file.text.lastIndexOf('\n', start - 1) + 1, start);
  return { code, text, marked: file.text.slice(start, start + (length ?? 0)), before };
}

function marks({ marked, before }: CompilerMessage, field: string): boolean {
  if (marked.replace(/^['"]|['"]$/g, '') === field || marked === `with${pascalCase(field)}`) return true;
  return new RegExp(`\\bwith${pascalCase(field)}(?:Atomic)?\\($`).test(before);
}

// A field stands in quotes, in a path or as a member of a printed type: the word `type` in a sentence is no field.
function mentions(text: string, field: string): boolean {
  const name = field.replace(/[^\w]/g, '\\$&');
  const method = /^with/.test(field) ? name : `with_?${name}|with${pascalCase(field)}`;
  return new RegExp(`['".]${name}['".]|[{;] ?(?:readonly )?${name}\\??:|\\b(?:${method})(?:Atomic)?\\b`).test(text);
}

function suggestions(text: string): string[] {
  return [...text.matchAll(/Did you mean (.*?)\?/g)].map(([, suggestion]) => suggestion as string);
}
