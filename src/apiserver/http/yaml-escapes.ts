import { load, type State } from 'js-yaml';
import { YamlTextError } from '../../util/yaml-text-error.js';
import { mayHaveOtherEscapes } from './yaml-document.js';

/** A scalar in double quotes, after comments, its tag and its anchor. */
const quoted = /^((?:\s|#.*\n|[&!]\S*\s)*)"((?:[^"\\]|\\[\s\S])*)"\s*$/;

const escapes = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g;

/**
 * Checks the escapes of a YAML text that has no other fault. JSON may write a slash as `\/`, and an emoji as two halves. Source: observed.
 *
 * @throws YamlTextError
 */
export function checkEscapes(source: string): void {
  if (!mayHaveOtherEscapes(source)) return;
  const starts: { readonly position: number; readonly line: number }[] = [];
  const listener = function (this: State, event: 'open' | 'close', { position, line, kind, input }: State) {
    if (event === 'open') starts.push({ position, line });
    else {
      const start = starts.pop();
      if (start !== undefined && kind === 'scalar') checkScalar(input.slice(start.position, position), start.line);
    }
  };
  load(source, { json: true, listener });
}

/** @param line the number of lines before the scalar. The server does not name the first line (observed). */
function checkScalar(text: string, line: number): void {
  const [, before = '', content = ''] = quoted.exec(text) ?? [];
  for (const { 1: short, 2: long, 3: other, index } of content.matchAll(escapes)) {
    const code = Number.parseInt(short ?? long ?? '0', 16);
    const isInvalid = (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff;
    if (!isInvalid && other !== '/') continue;
    const lines = line + linesIn(before) + linesIn(content.slice(0, index));
    const problem = isInvalid ? 'found invalid Unicode character escape code' : 'found unknown escape character';
    throw new YamlTextError(`yaml:${lines === 0 ? '' : ` line ${lines + 1}:`} ${problem}`);
  }
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}
