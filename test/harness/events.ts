import type {
  Check,
  ContendedField,
  DeployEvent,
  DriftSummary,
  ObjectDiagnostic,
  ObjectDrift,
  ObjectInspection,
  ObjectOwners,
  ObjectStatus,
  Orphan,
  OwnersSummary,
  PlanEvent,
  StatusSummary,
  StrategyAdvice,
  UnrepairedObject,
} from '../../src/deploy/index.js';
import type { ResponseBody } from './api-client.js';

type CommandEvent =
  | DeployEvent
  | PlanEvent
  | ObjectStatus
  | StatusSummary
  | ObjectDrift
  | DriftSummary
  | ContendedField
  | UnrepairedObject
  | ObjectOwners
  | OwnersSummary
  | Check
  | Orphan
  | StrategyAdvice
  | ObjectDiagnostic
  | ObjectInspection;

/** Returns the events of one name among the lines of `-o json`, as the types that are published for them. */
export function eventsOf<Name extends CommandEvent['event']>(
  events: readonly ResponseBody[],
  name: Name,
): Extract<CommandEvent, { readonly event: Name }>[] {
  return events.filter(({ event }) => event === name);
}
