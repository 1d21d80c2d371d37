const template = 'spec.template.spec';

/** The place of the spec of a Pod in each kind that has one. */
export const podSpecPaths: Readonly<Record<string, string>> = {
  CronJob: 'spec.jobTemplate.spec.template.spec',
  DaemonSet: template,
  Deployment: template,
  Job: template,
  Pod: 'spec',
  PodTemplate: 'template.spec',
  ReplicaSet: template,
  ReplicationController: template,
  StatefulSet: template,
};
