package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
)

// applies applies with two managers, and meets their conflict.
func (run session) applies() {
	configs := run.client.CoreV1().ConfigMaps(run.namespace)
	intent := coreapply.ConfigMap("applied", run.namespace).WithData(map[string]string{"mine": "1", "shared": "1"})
	made, err := configs.Apply(run, intent, metav1.ApplyOptions{FieldManager: "one"})
	show("apply", made, err)
	other := coreapply.ConfigMap("applied", run.namespace).WithData(map[string]string{"theirs": "2", "shared": "2"})
	_, err = configs.Apply(run, other, metav1.ApplyOptions{FieldManager: "two"})
	show("apply conflicting", nil, err)
	made, err = configs.Apply(run, other, metav1.ApplyOptions{FieldManager: "two", Force: true})
	show("apply forced", made, err)
	dry, err := configs.Apply(run, coreapply.ConfigMap("applied", run.namespace), metav1.ApplyOptions{FieldManager: "one", DryRun: []string{metav1.DryRunAll}})
	show("apply dry", dry.Data, err)
	extracted, err := coreapply.ExtractConfigMap(made, "two")
	show("extract", extracted, err)
	deployments := run.client.AppsV1().Deployments(run.namespace)
	container := coreapply.Container().WithName("main").WithImage("example.com/main:2").WithEnv(coreapply.EnvVar().WithName("PLAIN").WithValue("b"))
	applied, err := deployments.Apply(run, appsapply.Deployment("applied", run.namespace).WithSpec(appsapply.DeploymentSpec().
		WithSelector(metaapply.LabelSelector().WithMatchLabels(map[string]string{"app": "x"})).
		WithTemplate(coreapply.PodTemplateSpec().WithLabels(map[string]string{"app": "x"}).WithSpec(coreapply.PodSpec().WithContainers(container)))), metav1.ApplyOptions{FieldManager: "one"})
	show("apply Deployment", applied, err)
	status, err := deployments.ApplyStatus(run, appsapply.Deployment("applied", run.namespace).WithStatus(appsapply.DeploymentStatus().WithReplicas(2).
		WithConditions(appsapply.DeploymentCondition().WithType("Available").WithStatus(corev1.ConditionTrue))), metav1.ApplyOptions{FieldManager: "status"})
	show("apply status", status.Status, err)
}
