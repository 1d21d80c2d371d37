// Command clients does what typed Go clients do, with the defaults of client-go and controller-runtime, and prints each
// result on a line. The test compares the lines of a real API server with those of the embedded one.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// session is a client and the namespace that it writes to.
type session struct {
	context.Context
	client    kubernetes.Interface
	namespace string
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	config.QPS, config.Burst = 1000, 1000
	config.UserAgent = "clients/1"
	protobuf := rest.CopyConfig(config)
	protobuf.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	protobuf.ContentType = runtime.ContentTypeProtobuf
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, each := range []struct {
		name   string
		config *rest.Config
	}{{"json", config}, {"protobuf", protobuf}} {
		client := kubernetes.NewForConfigOrDie(each.config)
		run := session{ctx, client, os.Args[1] + "-" + each.name}
		fmt.Println("#", each.name)
		run.objects()
		run.applies()
		run.lists()
		run.watches()
		run.informers()
		run.election()
		run.reviews()
		run.failures()
	}
}

// show prints what is left of a result without names, times and versions that differ between servers.
func show(step string, result any, err error) {
	if err != nil {
		fmt.Printf("%s: %s\n", step, describe(err))
		return
	}
	fmt.Printf("%s: %s\n", step, plain(result))
}

func plain(result any) string {
	if object, isObject := result.(runtime.Object); isObject {
		object = object.DeepCopyObject()
		if accessor, err := meta.Accessor(object); err == nil {
			accessor.SetUID("")
			accessor.SetResourceVersion("")
			accessor.SetCreationTimestamp(metav1.Time{})
			entries := accessor.GetManagedFields()
			for index := range entries {
				entries[index].Time = nil
			}
			// The server orders entries by time, then by name: two of one second are in another order than two of two.
			slices.SortFunc(entries, func(a, b metav1.ManagedFieldsEntry) int {
				return strings.Compare(a.Manager+" "+a.Subresource, b.Manager+" "+b.Subresource)
			})
		}
		result = object
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func describe(err error) string {
	predicates := []struct {
		name string
		is   func(error) bool
	}{
		{"AlreadyExists", apierrors.IsAlreadyExists}, {"BadRequest", apierrors.IsBadRequest}, {"Conflict", apierrors.IsConflict},
		{"Expired", apierrors.IsResourceExpired}, {"Forbidden", apierrors.IsForbidden}, {"Invalid", apierrors.IsInvalid},
		{"NotFound", apierrors.IsNotFound}, {"Unauthorized", apierrors.IsUnauthorized},
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return "not a Status: " + err.Error()
	}
	text := ""
	for _, predicate := range predicates {
		if predicate.is(err) {
			text += predicate.name + " "
		}
	}
	text += status.Status().Message
	if details := status.Status().Details; details != nil {
		for _, cause := range details.Causes {
			text += fmt.Sprintf(" [%s %s: %s]", cause.Type, cause.Field, cause.Message)
		}
	}
	return text
}
