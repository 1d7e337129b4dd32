// Command datest is da as the tests of package cli run it: its store can be
// stopped between steps, its clock can be set, and it waits longer for a busy
// machine. The tests build it once. It is not installed.
package main

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/agnes-data/da/cli"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/snapshot"
)

// The variables that this program knows beside those of da.
const (
	// envKillAt names a step of the store after which the process is killed.
	envKillAt = "DA_TEST_KILL_AT"
	// envSteps names a file that lists the steps as they are made.
	envSteps = "DA_TEST_STEPS"
	// envLater is how much later than it is the process takes it to be.
	envLater = "DA_TEST_LATER"
)

func main() {
	ctx, stop := cli.Signals()
	defer stop()
	os.Exit(cli.Main(ctx, os.Args[1:], environment())) //nolint:forbidigo // this is a main, too
}

func environment() app.Env {
	env := cli.System()
	env.CompletionWait = time.Minute
	if later, err := time.ParseDuration(os.Getenv(envLater)); err == nil {
		env.Now = func() time.Time { return time.Now().Add(later) }
		env.StateOptions = []state.Option{state.WithClock(env.Now)}
	}
	env.StoreOptions = []snapshot.Option{snapshot.WithStep(atStep)}
	return env
}

// atStep is called after each step of the store.
func atStep(step string) {
	if file := os.Getenv(envSteps); file != "" {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(f, step)
		f.Close()
	}
	if os.Getenv(envKillAt) == step {
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			panic(err)
		}
		select {} // until the signal arrives
	}
}
