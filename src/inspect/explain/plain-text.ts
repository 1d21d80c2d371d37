/** Escape sequences of terminals: CSI, OSC with its end, and two-character ones. Source: ECMA-48. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const terminalSequences = /\u001b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\u0007\u001b\n]{0,2000}(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

/** The frame that Terraform draws at the left of a diagnostic, and the time at the start of each line in logs of CI. */
const lineStart = /^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]{0,12}Z )?[ \t]{0,16}(?:[│┃╷╵] ?)?/gmu;

/** The service in logs of several containers, such as `web-1  | `. */
const serviceName = /^[\w.-]{1,100} {0,50}\| /;

/** Quotes as chats and wikis show them, and as HTML writes them. */
const otherQuotes = /[“”„]|&quot;|&#34;/g;

/** Returns a text as its program wrote it: without colors, carriage returns, other quotes, and what others put at the start of its lines. */
export function plainText(text: string): string {
  return text
    .replace(terminalSequences, '')
    .replaceAll(/\r\n?/g, '\n')
    .replace(otherQuotes, '"')
    .replace(lineStart, (start) => (/[│┃╷╵Z]/u.test(start) ? '' : start))
    .split('\n')
    .map(withoutQuotation)
    .join('\n');
}

/** Removes the marks with which a mail quotes a line, and the name of a service. */
function withoutQuotation(line: string): string {
  let start = 0;
  while (line[start] === '>' || (start > 0 && line[start] === ' ' && line[start + 1] === '>')) start += 1;
  const unquoted = start === 0 ? line : line.slice(line[start] === ' ' ? start + 1 : start);
  return unquoted.includes(' | ') ? unquoted.replace(serviceName, '') : unquoted;
}
