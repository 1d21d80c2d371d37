import { mutationCase } from './mutation-case.js';

/** The process that `mutate.ts` runs its cases in. */
process.on('message', async ({ crd, seed }: { readonly crd: unknown; readonly seed: number }) => {
  process.send?.(await mutationCase(crd, seed));
});
