/** Annotation of a pod that says how it fails. */
export const simulateAnnotation = 'fieldwise.dev/simulate';

/** The values of the annotation. */
const simulatedFailures = ['crash-loop', 'image-pull', 'unschedulable', 'never-ready'];

const maxShown = 100;

/** Returns what is said of a value of the annotation that is not known; undefined for a known one. */
export function unknownSimulation(value: string | undefined): string | undefined {
  if (value === undefined || simulatedFailures.includes(value)) return undefined;
  const shown = value.length > maxShown ? `${value.slice(0, maxShown)}…` : value;
  return `${JSON.stringify(shown)} is not known, and the Pod runs without a failure: use ${simulatedFailures.slice(0, -1).join(', ')} or ${simulatedFailures.at(-1)}`;
}
