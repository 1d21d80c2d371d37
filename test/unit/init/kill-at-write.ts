/** A module of CommonJS that Node loads before a program: it kills the process at the write of the number KILL_AT below the working directory. */
export const killAtWrite = `
const files = require('node:fs/promises');
const at = Number(process.env.KILL_AT);
const isHalf = process.env.KILL_HALF === '1';
const directory = require('node:fs').realpathSync(process.cwd());
let count = 0;
for (const name of ['mkdir', 'writeFile', 'link', 'rename', 'chmod', 'rm', 'rmdir']) {
  const real = files[name];
  files[name] = async (...words) => {
    if (!String(words[0]).startsWith(directory) || (isHalf && name !== 'writeFile')) return real(...words);
    count += 1;
    if (count !== at) return real(...words);
    if (isHalf) await real(words[0], String(words[1]).slice(0, 20), words[2]);
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  };
}
require('node:module').syncBuiltinESMExports();
`;
