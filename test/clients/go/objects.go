package main

import (
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}}
}

func podTemplate(app string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name:  "main",
				Image: "example.com/main:1",
				Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
				Env: []corev1.EnvVar{
					{Name: "PLAIN", Value: "a"},
					{Name: "SECRET", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
						LocalObjectReference: corev1.LocalObjectReference{Name: "secret"}, Key: "key", Optional: ptr.To(false),
					}}},
				},
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("0.5"), corev1.ResourceMemory: resource.MustParse("1.5Gi")},
				},
				ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: intstr.FromString("http")}}},
			}},
			Volumes: []corev1.Volume{{Name: "empty", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: ptr.To(resource.MustParse("100Mi"))}}}},
		},
	}
}

func deployment(name string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: named(name), Spec: appsv1.DeploymentSpec{
		Replicas: ptr.To(int32(0)),
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
		Template: podTemplate(name),
	}}
}

// objects creates, reads, updates, patches, scales and deletes objects of many kinds.
func (run session) objects() {
	core, apps := run.client.CoreV1(), run.client.AppsV1()
	namespace, err := core.Namespaces().Create(run, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: run.namespace}}, metav1.CreateOptions{})
	show("create Namespace", namespace.Status, err)
	options, update := metav1.CreateOptions{}, metav1.UpdateOptions{}
	{
		made, err := core.ConfigMaps(run.namespace).Create(run, &corev1.ConfigMap{
			ObjectMeta: named("config"), Data: map[string]string{"b": "2", "a": ""}, BinaryData: map[string][]byte{"bin": {0, 255}},
		}, options)
		show("create ConfigMap", made, err)
		made.Data["c"] = "é☃😀"
		delete(made.Data, "b")
		changed, err := core.ConfigMaps(run.namespace).Update(run, made, update)
		show("update ConfigMap", changed, err)
		_, err = core.ConfigMaps(run.namespace).Update(run, made, update)
		show("update stale ConfigMap", nil, err)
	}
	{
		made, err := core.Secrets(run.namespace).Create(run, &corev1.Secret{
			ObjectMeta: named("secret"), StringData: map[string]string{"key": "value"}, Data: map[string][]byte{"empty": {}, "raw": []byte("x")},
		}, options)
		show("create Secret", made, err)
	}
	{
		made, err := core.ServiceAccounts(run.namespace).Create(run, &corev1.ServiceAccount{ObjectMeta: named("account")}, options)
		show("create ServiceAccount", made, err)
	}
	{
		made, err := core.ResourceQuotas(run.namespace).Create(run, &corev1.ResourceQuota{ObjectMeta: named("quota"), Spec: corev1.ResourceQuotaSpec{
			Hard: corev1.ResourceList{"count/widgets.example.com": resource.MustParse("1000m"), "requests.storage": resource.MustParse("1024Gi")},
		}}, options)
		show("create ResourceQuota", made, err)
	}
	{
		made, err := apps.Deployments(run.namespace).Create(run, deployment("web"), metav1.CreateOptions{FieldManager: "creator", FieldValidation: "Strict"})
		show("create Deployment", made, err)
		dry, err := apps.Deployments(run.namespace).Create(run, deployment("dry"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		show("create Deployment dry", dry.Name, err)
		_, err = apps.Deployments(run.namespace).Get(run, "dry", metav1.GetOptions{})
		show("get dry Deployment", nil, err)
		scale, err := apps.Deployments(run.namespace).GetScale(run, "web", metav1.GetOptions{})
		show("get Scale", scale, err)
		scale.Spec.Replicas = 3
		scale, err = apps.Deployments(run.namespace).UpdateScale(run, "web", scale, update)
		show("update Scale", scale, err)
		made, err = apps.Deployments(run.namespace).Get(run, "web", metav1.GetOptions{})
		show("get Deployment", made, err)
		made.Status.Replicas, made.Status.ReadyReplicas = 3, 1
		made, err = apps.Deployments(run.namespace).UpdateStatus(run, made, update)
		show("update Deployment status", made.Status, err)
	}
	{
		made, err := apps.StatefulSets(run.namespace).Create(run, &appsv1.StatefulSet{ObjectMeta: named("set"), Spec: appsv1.StatefulSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "set"}}, Template: podTemplate("set"), ServiceName: "set",
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
			}}},
		}}, options)
		show("create StatefulSet", made, err)
	}
	{
		template := podTemplate("job")
		template.Spec.RestartPolicy = corev1.RestartPolicyNever
		made, err := run.client.BatchV1().CronJobs(run.namespace).Create(run, &batchv1.CronJob{ObjectMeta: named("cron"), Spec: batchv1.CronJobSpec{
			Schedule: "* * * * *", Suspend: ptr.To(true), JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: template}},
		}}, options)
		show("create CronJob", made, err)
	}
	{
		made, err := run.client.NetworkingV1().Ingresses(run.namespace).Create(run, &networkingv1.Ingress{ObjectMeta: named("ingress"), Spec: networkingv1.IngressSpec{
			Rules: []networkingv1.IngressRule{{Host: "example.com", IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
				Paths: []networkingv1.HTTPIngressPath{{Path: "/", PathType: ptr.To(networkingv1.PathTypePrefix), Backend: networkingv1.IngressBackend{
					Service: &networkingv1.IngressServiceBackend{Name: "web", Port: networkingv1.ServiceBackendPort{Number: 80}},
				}}},
			}}}},
		}}, options)
		show("create Ingress", made, err)
	}
	{
		made, err := run.client.NetworkingV1().NetworkPolicies(run.namespace).Create(run, &networkingv1.NetworkPolicy{ObjectMeta: named("policy"), Spec: networkingv1.NetworkPolicySpec{
			Ingress: []networkingv1.NetworkPolicyIngressRule{{}},
		}}, options)
		show("create NetworkPolicy", made, err)
	}
	{
		made, err := run.client.PolicyV1().PodDisruptionBudgets(run.namespace).Create(run, &policyv1.PodDisruptionBudget{ObjectMeta: named("budget"), Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: ptr.To(intstr.FromString("50%")), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}}, options)
		show("create PodDisruptionBudget", made, err)
	}
	{
		made, err := run.client.AutoscalingV2().HorizontalPodAutoscalers(run.namespace).Create(run, &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: named("scaler"), Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}, MaxReplicas: 4,
		}}, options)
		show("create HorizontalPodAutoscaler", made, err)
	}
	{
		made, err := run.client.RbacV1().Roles(run.namespace).Create(run, &rbacv1.Role{ObjectMeta: named("role"), Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}},
		}}, options)
		show("create Role", made, err)
		empty, err := run.client.RbacV1().Roles(run.namespace).Create(run, &rbacv1.Role{ObjectMeta: named("empty")}, options)
		show("create Role without rules", empty, err)
	}
	for _, each := range []struct {
		name  types.PatchType
		patch string
	}{
		{types.JSONPatchType, `[{"op":"add","path":"/data/json","value":"1"}]`},
		{types.MergePatchType, `{"data":{"merge":"2","a":null}}`},
		{types.StrategicMergePatchType, `{"data":{"strategic":"3"}}`},
	} {
		patched, err := core.ConfigMaps(run.namespace).Patch(run, "config", each.name, []byte(each.patch), metav1.PatchOptions{})
		if err != nil {
			show("patch "+string(each.name), nil, err)
			continue
		}
		data, _ := json.Marshal(patched.Data)
		show("patch "+string(each.name), string(data), nil)
	}
	err = core.ConfigMaps(run.namespace).Delete(run, "config", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(types.UID("other"))}})
	show("delete ConfigMap of another uid", apierrors.IsConflict(err), nil)
	show("delete ConfigMap dry", "ok", core.ConfigMaps(run.namespace).Delete(run, "config", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}))
	show("delete ConfigMap", "ok", core.ConfigMaps(run.namespace).Delete(run, "config", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}))
	show("delete ConfigMap again", nil, core.ConfigMaps(run.namespace).Delete(run, "config", metav1.DeleteOptions{}))
}
