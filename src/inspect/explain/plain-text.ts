/** Escape sequences of terminals: CSI, OSC with its end, and two-character ones. Source: ECMA-48. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const terminalSequences = /\u001b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\u0007\u001b\n]{0,2000}(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

/** The frame that Terraform draws at the left of a diagnostic, and the time at the start of each line in logs of CI. */
const lineStart = /^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]{0,12}Z )?[ \t]{0,16}(?:[│┃╷╵] ?)?/gmu;

/** Returns a text as its program wrote it: without colors, carriage returns, and what others put at the start of its lines. */
export function plainText(text: string): string {
  return text
    .replace(terminalSequences, '')
    .replaceAll(/\r\n?/g, '\n')
    .replace(lineStart, (start) => (/[│┃╷╵Z]/u.test(start) ? '' : start));
}
