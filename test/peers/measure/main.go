// Command measure runs a command and writes its cost to a file, as JSON: seconds on the clock, seconds of CPU of the process and of the
// processes that it waited for, and its peak of resident memory in bytes. It ends with the exit code of the command.
//
//	measure FILE COMMAND [ARGUMENT…]
//
// A small process of its own: the peak that the kernel reports for a process begins with that of the process which started it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

type cost struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu"`
	Peak    int64   `json:"peak"`
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: measure FILE COMMAND [ARGUMENT…]")
		os.Exit(2)
	}
	code, err := run(os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(file, name string, arguments []string) (int, error) {
	command := exec.Command(name, arguments...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	started := time.Now()
	err := command.Run()
	seconds := time.Since(started).Seconds()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return 0, err
	}
	usage := command.ProcessState.SysUsage().(*syscall.Rusage)
	peak := usage.Maxrss
	if runtime.GOOS == "linux" { // elsewhere it is in bytes
		peak *= 1024
	}
	cpu := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	text, err := json.Marshal(cost{Seconds: seconds, CPU: cpu.Seconds(), Peak: peak})
	if err != nil {
		return 0, err
	}
	return command.ProcessState.ExitCode(), os.WriteFile(file, text, 0o600)
}
