// Command controller-manager runs a real kube-controller-manager, for tests.
//
// Its arguments are those of kube-controller-manager. It stops on SIGTERM or SIGINT, and also when its standard input
// ends, so that it never outlives the process that started it.
package main

import (
	"io"
	"os"
	"syscall"

	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	go func() { // the parent is gone when its end of our standard input closes
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}()
	if err := app.NewControllerManagerCommand().Execute(); err != nil {
		os.Exit(1)
	}
}
