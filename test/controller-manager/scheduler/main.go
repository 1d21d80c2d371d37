// Command scheduler runs a real kube-scheduler, for tests.
//
// Its arguments are those of kube-scheduler. It stops on SIGTERM or SIGINT, and also when its standard input ends, so
// that it never outlives the process that started it.
package main

import (
	"io"
	"os"
	"syscall"

	"k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	go func() { // the parent is gone when its end of our standard input closes
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}()
	if err := app.NewSchedulerCommand().Execute(); err != nil {
		os.Exit(1)
	}
}
