import { type ProcessOrder, type ReportEntry, runOver } from './run.js';

/** Tells its parent each entry at once: the process may be killed at any moment. */
class ToldEntries extends Array<ReportEntry> {
  override push(...entries: ReportEntry[]): number {
    process.send?.({ entries });
    return super.push(...entries);
  }
}

/** Asked by its parent, does one run and reports it; to be stopped, continued or killed at any moment. */
process.on('message', async (order: ProcessOrder) => {
  const outcome = await runOver(order, new ToldEntries());
  process.send?.({ outcome: { ...outcome, entries: [...outcome.entries] } }, () => process.exit(0));
});
process.send?.('ready');
