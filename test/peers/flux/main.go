// Command flux applies objects in the ways of Flux's controllers, by their library. FILE has one object or, as a list, several.
//
//	flux conflict FILE    applies without force, as no controller of Flux does, and wraps the refusal as the library wraps it
//	flux apply FILE       applies as kustomize-controller does, which forces all fields
//	flux diff FILE        compares as kustomize-controller does before it corrects drift
//	flux delete FILE      deletes as kustomize-controller does when it prunes
//
// The client has no limit of its own, so that it is measured by what it sends.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/fluxcd/pkg/ssa"
	ssaerrors "github.com/fluxcd/pkg/ssa/errors"
	ssautils "github.com/fluxcd/pkg/ssa/utils"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
)

// The default of kustomize-controller's flag --concurrent-ssa.
const concurrency = 4

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: flux conflict|apply|diff|delete FILE")
		os.Exit(2)
	}
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
	objects, err := ssautils.ReadObjects(bytes.NewReader(text))
	if err != nil {
		return err
	}
	loaded, err := config.GetConfig()
	if err != nil {
		return err
	}
	loaded.QPS, loaded.Burst = -1, 0
	cluster, err := client.New(loaded, client.Options{})
	if err != nil {
		return err
	}
	manager := ssa.NewResourceManager(cluster, nil, ssa.Owner{Field: "kustomize-controller", Group: "kustomize.toolkit.fluxcd.io"})
	manager.SetConcurrency(concurrency)
	ctx := context.Background()
	switch verb {
	case "conflict":
		return conflict(ctx, cluster, objects[0])
	case "apply":
		return printChanges(manager.ApplyAllStaged(ctx, objects, ssa.DefaultApplyOptions()))
	case "diff":
		return diff(ctx, manager, objects)
	case "delete":
		return printChanges(manager.DeleteAll(ctx, objects, ssa.DefaultDeleteOptions()))
	}
	return fmt.Errorf("unknown verb %s", verb)
}

func conflict(ctx context.Context, cluster client.Client, object *unstructured.Unstructured) error {
	err := cluster.Patch(ctx, object, client.Apply, client.DryRunAll, client.FieldOwner("kustomize-controller"))
	if err == nil {
		return errors.New("no conflict")
	}
	return ssaerrors.NewDryRunErr(err, object)
}

func diff(ctx context.Context, manager *ssa.ResourceManager, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		change, _, _, err := manager.Diff(ctx, object, ssa.DefaultDiffOptions())
		if err != nil {
			return err
		}
		fmt.Println(change)
	}
	return nil
}

func printChanges(changes *ssa.ChangeSet, err error) error {
	if err != nil {
		return err
	}
	for _, change := range changes.Entries {
		fmt.Println(change.String())
	}
	return nil
}
