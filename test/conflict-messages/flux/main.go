// Applies an object in the ways of Flux and prints the errors of its library. The argument is the file of the object.
//
//	flux conflict FILE    applies without force, as no controller of Flux does, and wraps the refusal as the library wraps it
//	flux apply FILE       applies as kustomize-controller does, which forces all fields
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/fluxcd/pkg/ssa"
	ssaerrors "github.com/fluxcd/pkg/ssa/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(verb, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &object.Object); err != nil {
		return err
	}
	loaded, err := config.GetConfig()
	if err != nil {
		return err
	}
	cluster, err := client.New(loaded, client.Options{})
	if err != nil {
		return err
	}
	if verb == "conflict" {
		err := cluster.Patch(context.Background(), object, client.Apply, client.DryRunAll, client.FieldOwner("kustomize-controller"))
		if err == nil {
			return errors.New("no conflict")
		}
		return ssaerrors.NewDryRunErr(err, object)
	}
	manager := ssa.NewResourceManager(cluster, nil, ssa.Owner{Field: "kustomize-controller", Group: "kustomize.toolkit.fluxcd.io"})
	change, err := manager.Apply(context.Background(), object, ssa.DefaultApplyOptions())
	if err == nil {
		fmt.Println(change)
	}
	return err
}
