import type { RecordedRun } from '../../../../../src/cli/render/formats/recorded-run.js';
import { RepositoryPositions } from '../../../../../src/cli/render/formats/repository-positions.js';
import { RunRecorder } from '../../../../../src/cli/render/formats/run-recorder.js';
import type { DeployEvent, PlanEvent, PlannedField, PlannedObject } from '../../../../../src/deploy/index.js';

/** A directory that is no checkout. */
export const positions = new RepositoryPositions('/project', 'main.ts');

export const manifest = { app: 'shop', instance: 'default', warnings: [] };

/** The record of a plan with these events. */
export function recordedRun(
  events: readonly (PlanEvent | DeployEvent)[],
  { verb = 'plan', environment }: { readonly verb?: RecordedRun['verb']; readonly environment?: string } = {},
): RecordedRun {
  const recorder = new RunRecorder(verb, positions);
  recorder.configured(positions, environment);
  recorder.synthesized(manifest);
  events.forEach(recorder.record);
  return recorder.finish();
}

/** An object of a plan: an update of a ConfigMap unless said otherwise. */
export function planned(change: Partial<PlannedObject> = {}): PlannedObject {
  const name = change.name ?? 'web';
  return {
    event: 'plan',
    action: 'update',
    source: 'server',
    stack: 'web',
    manager: 'fieldwise:shop/default/web',
    object: `ConfigMap default/${name}`,
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'default',
    name,
    lifecycle: 'own',
    fields: [],
    declaredBy: [{ construct: `shop/web/own-ConfigMap-${name}`, source: 'main.ts:4:11' }],
    ...change,
  };
}

export const taken = (field: string, manager = 'helm'): PlannedField => ({
  field,
  change: 'force',
  oldValue: 'theirs',
  newValue: 'ours',
  owners: [{ manager, operation: 'Apply' }],
});
