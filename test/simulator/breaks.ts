import { readFileSync } from 'node:fs';
import type { Plugin } from 'rolldown';
import type { Invariant } from './invariants.js';

/** An error that is planted in the code, in the bundle of a process only. */
export interface PlantedBreak {
  readonly name: string;
  /** What the code then does. */
  readonly what: string;
  /** The invariant that must find it. */
  readonly finds: Invariant;
  /** Below src. */
  readonly file: string;
  /** A text that is in the file once. */
  readonly from: string;
  readonly to: string;
}

/** Plants a break while the code is bundled. */
export function plantedIn({ name, file, from, to }: PlantedBreak): Plugin {
  let isPlanted = false;
  return {
    name: `break ${name}`,
    transform(code, id) {
      if (!id.endsWith(`/src/${file}`)) return null;
      isPlanted = true;
      return code.replace(from, () => to);
    },
    buildEnd() {
      if (!isPlanted) throw new Error(`${name}: ${file} is not part of the bundle`);
    },
  };
}

/** Throws unless each break has its text in its file exactly once. */
export function requirePlantable(planted: readonly PlantedBreak[]): void {
  const same = planted.filter(({ from, to }) => from === to);
  if (same.length > 0) throw new Error(`these plant nothing: ${same.map(({ name }) => name).join(', ')}`);
  const lost = planted.filter(
    ({ file, from }) => readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8').split(from).length !== 2,
  );
  if (lost.length === 0) return;
  throw new Error(lost.map(({ name, file, from }) => `${name}: ${file} does not have this text exactly once: ${from}`).join('\n'));
}

export const breaks: readonly PlantedBreak[] = [
  {
    name: 'freed-lock',
    what: 'A1: a run takes a lock that others have taken and given back for its own',
    finds: 'a lost lock stops the run',
    file: 'engine/lock/held-lease.ts',
    from: 'if (!object.isSame(now, this.#lease)) return this.#lose(...lossOf(now, object.isOurs(now)));',
    to: "if (now.holder !== '' && !object.isSame(now, this.#lease)) return this.#lose(...lossOf(now, object.isOurs(now))); this.#renewedAt = sentAt;",
  },
  {
    name: 'lock-believed',
    what: 'a run never asks whether it still has its locks',
    finds: 'a lost lock stops the run',
    file: 'engine/lock/stack-lock.ts',
    from: 'return [...this.#held.values()].every((lease) => lease.isCertain);',
    to: 'return true;',
  },
  {
    name: 'certain-for-long',
    what: 'a lock counts as held for seven times as long as it lasts',
    finds: 'a lost lock stops the run',
    file: 'engine/lock/held-lease.ts',
    from: '< durationSeconds * 700',
    to: '< durationSeconds * 7000',
  },
  {
    name: 'sleep-forgotten',
    what: 'the age of a renewal is measured by the clock that stands still while a machine sleeps',
    finds: 'a lost lock stops the run',
    file: 'util/machine.ts',
    from: 'return byWall < 0 ? Number.POSITIVE_INFINITY : Math.max(byWall, machine.monotonic() - monotonic);',
    to: 'return byWall < -1e15 ? 0 : machine.monotonic() - monotonic;',
  },
  {
    name: 'wall-clock-believed',
    what: 'the age of a renewal is measured by the wall clock alone',
    finds: 'a lost lock stops the run',
    file: 'util/machine.ts',
    from: 'return byWall < 0 ? Number.POSITIVE_INFINITY : Math.max(byWall, machine.monotonic() - monotonic);',
    to: 'return monotonic < 0 ? 0 : byWall;',
  },
  {
    name: 'outcome-not-confirmed',
    what: 'the answer to a write counts, although the lock was lost meanwhile',
    finds: 'late writes are harmless and told',
    file: 'kubernetes/transport/request-lock.ts',
    from: `  await lock.ensureHeld().catch((cause: unknown) => {
    throw outcomeUnknown(cause);
  });`,
    to: '  await Promise.resolve(outcomeUnknown);',
  },
  {
    name: 'deleted-lock-unawaited',
    what: 'a run begins at once where somebody has deleted the Lease of a run that goes on',
    finds: 'nothing newer is deleted',
    file: 'engine/lock/stack-lock.ts',
    from: '      const left = end - machine.monotonic();',
    to: '      const left = Math.min(0, end - machine.monotonic());',
  },
  {
    name: 'deleted-lock-forgotten',
    what: 'what a run has sent whose Lease was deleted counts as arrived when the next run begins',
    finds: 'records explain the owners',
    file: 'engine/lock/stack-lock.ts',
    from: 'if (lastRun !== undefined) this.#lastRuns.set(name, lastRun);',
    to: 'void lastRun;',
  },
  {
    name: 'dead-at-once',
    what: 'a holder counts as dead after a second without a renewal',
    finds: 'a lock is taken from the dead alone',
    file: 'engine/lock/acquire-lease.ts',
    from: 'machine.monotonic() - unchangedSince > now.durationSeconds * 1_000',
    to: 'machine.monotonic() - unchangedSince > 1_000',
  },
  {
    name: 'lease-without-version',
    what: 'a Lease is written whatever it has become',
    finds: 'a lock is taken from the dead alone',
    file: 'engine/lock/lease.ts',
    from: 'return unlessRefused(async () => leaseOf(await this.#cluster.replace(this.#address, body, leaseManager)));',
    to: `return unlessRefused(async () => {
      const now = (await this.#cluster.tryGet(this.#address)) ?? lease.object;
      const metadata = { ...(body.metadata as JsonObject), ...preconditionsOf(now) };
      return leaseOf(await this.#cluster.replace(this.#address, { ...body, metadata }, leaseManager));
    });`,
  },
  {
    name: 'error-means-refused',
    what: 'A2: a write that was answered with an error counts as not carried out',
    finds: 'foreign values are told',
    file: 'engine/object/settle.ts',
    from: 'return { outcome: outcomeOf(now), now };',
    to: "void outcomeOf; return { outcome: 'refused', now };",
  },
  {
    name: 'force-not-noted',
    what: 'A2: what is about to be taken by force is not noted before',
    finds: 'foreign values are told',
    file: 'deploy/deploy/force-notes.ts',
    from: '    notes.waiting.set(key, { pass, object: { apiVersion, kind } });',
    to: `    if (pass.fields.length > 0) return;
    notes.waiting.set(key, { pass, object: { apiVersion, kind } });`,
  },
  {
    name: 'release-not-noted',
    what: 'what is about to be released is not noted before',
    finds: 'what is given up is told',
    file: 'deploy/deploy/force-notes.ts',
    from: '    notes.waiting.set(key, { pass, object: { apiVersion, kind } });',
    to: `    if (pass.losses !== undefined) return;
    notes.waiting.set(key, { pass, object: { apiVersion, kind } });`,
  },
  {
    name: 'delete-by-name',
    what: 'a deletion is of whatever has the name',
    finds: 'nothing foreign is deleted',
    file: 'engine/object/delete-exactly.ts',
    from: 'return { left: await cluster.delete(address, options) };',
    to: 'return { left: await cluster.delete(address, { propagationPolicy: options.propagationPolicy } as DeleteOptions) };',
  },
  {
    name: 'record-without-version',
    what: 'an inventory is written over whatever it has become',
    finds: 'late writes are harmless and told',
    file: 'engine/inventory/inventory-store.ts',
    from: '        ...(before ? preconditionsOf(before) : {}),',
    to: '',
  },
  {
    name: 'nothing-pending',
    what: 'what is about to be created is not recorded before',
    finds: 'the last deploy has the last word',
    file: 'engine/run/stack-state.ts',
    from: '      this.entries.set(key, { ...pendingEntry(step), ...dynamic, ...change });',
    to: '      void [dynamic, change];',
  },
  {
    name: 'made-again-unnoted',
    what: 'an object that is made again in place of a recorded one is not noted before',
    finds: 'a run again finishes the work',
    file: 'deploy/deploy/step/deploy-step.ts',
    from: 'if (this.#known?.uid !== undefined) await this',
    to: 'if (this.#known?.uid === this.#step.key) await this',
  },
  {
    name: 'pending-proves-all',
    what: 'A11: a pending entry proves any object under the name of our manager',
    finds: 'nothing foreign is deleted',
    file: 'engine/inventory/pending-proof.ts',
    from: `  if (own === undefined) return false;
`,
    to: `  if (own !== undefined) return true;
  if (own === undefined) return false;
`,
  },
  {
    name: 'plan-of-old-object',
    what: 'A7: a saved plan of a share is bound to the object that the inventory knows, not to the one that the plan has seen',
    finds: 'an undisturbed run ends well',
    file: 'deploy/deploy/step/share.ts',
    from: 'return plannedTarget(step, address, context, planned.uid);',
    to: 'throw plannedObjectGone(step.stack.manager); void plannedTarget;',
  },
  {
    name: 'repair-deploys',
    what: 'N2: a repair applies what the program declares by now',
    finds: 'a repair deploys nothing',
    file: 'engine/inventory/not-as-applied.ts',
    from: "  if (known === undefined) return 'unrecorded';",
    to: `  if (intent !== undefined) return undefined;
  if (known === undefined) return 'unrecorded';`,
  },
  {
    name: 'dynamic-lists',
    what: 'S1: in a list without a schema, the values of others have no owner',
    finds: 'foreign values are told',
    file: 'engine/client-side-apply/has-owned-members.ts',
    from: 'if (root === undefined || !isJsonObject(value)) return false;',
    to: 'if (root === undefined) return !isJsonObject(value);',
  },
  {
    name: 'former-name-unknown',
    what: 'A5: a previous owner is not known by its former names',
    finds: 'what all declare is always there',
    file: 'engine/transfer/field-transfers.ts',
    from: '  return [from, ...formerManagers];',
    to: '  return [from, ...formerManagers.slice(0, 0)];',
  },
  {
    name: 'half-named-rename',
    what: "N4: what a stack gave up under its former name counts as somebody else's",
    finds: 'an undisturbed run ends well',
    file: 'deploy/deploy/prepare-deploy.ts',
    from: 'return new Set([...stacks.flatMap(managersOf), ...removed]);',
    to: 'return new Set([...stacks.flatMap((one) => managersOf(one).slice(0, 1)), ...removed]);',
  },
  {
    name: 'changed-and-unchanged',
    what: 'what was written counts as unchanged',
    finds: 'result words are true',
    file: 'deploy/deploy/step/step-outcome.ts',
    from: "applied.pinned === resourceVersion ? 'unchanged' : byRefused",
    to: "'unchanged'",
  },
  {
    name: 'creation-of-others',
    what: 'an object that somebody has just made under the name of our manager counts as made by this run',
    finds: 'nothing foreign is deleted',
    file: 'engine/apply/apply-to-one.ts',
    from: 'ownCreationIn(error, live, task, how) :',
    to: "(createdBy(live, how.managers, how.sharers) ? 'of this run' : ownCreationIn(error, live, task, how)) :",
  },
  {
    name: 'late-write-forgotten',
    what: 'an object is forgotten at once, although a write of a run that was cut off may still arrive',
    finds: 'records explain the owners',
    file: 'engine/removal/remove-entry.ts',
    from: "if (milliseconds <= 0 || removed.result === 'retained') return removed;",
    to: "if (milliseconds <= 1e9 || removed.result === 'retained') return removed;",
  },
  {
    name: 'earlier-run-forgotten',
    what: 'what a run has written that could not record it counts as written by the next one',
    finds: 'result words are true',
    file: 'deploy/deploy/step/step-outcome.ts',
    from: 'earlierUntil === undefined || Date.parse(appliedAt) > earlierUntil',
    to: 'earlierUntil === undefined || Date.parse(appliedAt) > 0',
  },
  {
    name: 'claim-untold',
    what: 'what a stack has claimed of another one is in no report',
    finds: 'result words are true',
    file: 'deploy/deploy/apply-waves.ts',
    from: `  if (paths === undefined) return report;
  if (success`,
    to: `  if (paths === undefined || paths.length > 0) return report;
  if (success`,
  },
  {
    name: 'removal-believed',
    what: 'an object that could not be removed is forgotten',
    finds: 'records explain the owners',
    file: 'deploy/deploy/remove-undeclared.ts',
    from: 'if (isDone) state.entries.delete(key);',
    to: 'void isDone; state.entries.delete(key);',
  },
  {
    name: 'record-forgotten',
    what: 'the inventory is removed before its objects',
    finds: 'records explain the owners',
    file: 'engine/inventory/inventory-store.ts',
    from: '    if (entries.size === 0 && history === undefined) {',
    to: '    if (entries.size < 3 || history === undefined) {',
  },
  {
    name: 'deletion-unasked',
    what: 'a deletion does not ask whether the run still has its locks',
    finds: 'nothing newer is deleted',
    file: 'kubernetes/transport/transport.ts',
    from: 'const { lock } = context;',
    to: `const { lock: held, ...unlocked } = context;
      const lock = request.method === 'DELETE' ? undefined : held;
      if (lock === undefined) context = unlocked;`,
  },
  {
    name: 'lost-and-waiting',
    what: 'a run that has lost a lock waits until it has it again',
    finds: 'every run ends',
    file: 'engine/lock/held-lease.ts',
    from: '      if (this.#lost) throw this.#lost;',
    to: `      if (this.#lost) {
        await machine.pause(renewalPauseMs);
        continue;
      }`,
  },
  {
    name: 'dead-for-long',
    what: 'a holder counts as alive for six times as long as its lock lasts',
    finds: 'no lock outlives its holder',
    file: 'engine/lock/acquire-lease.ts',
    from: '> now.durationSeconds * 1_000',
    to: '> now.durationSeconds * 6_000',
  },
  {
    name: 'locks-kept',
    what: 'a run that ends leaves its locks to time',
    finds: 'an ended run keeps no lock',
    file: 'engine/lock/held-lease.ts',
    from: 'if (this.#lost) return false;',
    to: 'if (this.#lost || this.#lease !== undefined) return false;',
  },
  {
    name: 'recorded-is-applied',
    what: 'what the inventory has counts as applied, although a run was cut off before it could apply it',
    finds: 'a run again finishes the work',
    file: 'deploy/deploy/step/deploy-step.ts',
    from: '  if (unchanged) return reportUnchanged(step, state, unchanged, onApplied);',
    to: `  if (unchanged) return reportUnchanged(step, state, unchanged, onApplied);
  const recorded = state.before.entries.get(step.key);
  if (!mustSend && recorded?.uid !== undefined && recorded.intent === step.digest) return { ...stepReport(step), result: 'unchanged' };`,
  },
  {
    name: 'watch-ended',
    what: 'a watch that has ended does not begin again',
    finds: 'an observer sees everything',
    file: 'engine/readiness/resource-watch.ts',
    from: '      const left = (this.#polls',
    to: `      if (!this.#hasNewNames && this.#names.size > 0) break;
      const left = (this.#polls`,
  },
  {
    name: 'broken-for-good',
    what: 'a request whose connection breaks is not sent again',
    finds: 'a passing fault is overcome',
    file: 'kubernetes/transport/retry.ts',
    from: 'const maxAttempts = error.unsent ? maxAttemptsUnsent : maxAttemptsFailing;',
    to: 'const maxAttempts = error.unsent ? maxAttemptsUnsent : Math.min(1, maxAttemptsFailing);',
  },
];
