import { type RunOrder, run } from './run.js';

/** Asked by its parent, does one run and reports it; to be stopped and continued at any moment. */
process.on('message', async (message: RunOrder | 'wake') => {
  if (message === 'wake') return process.send?.('awake');
  const outcome = await run(message);
  process.send?.(outcome, () => process.exit(0));
});
process.send?.('ready');
