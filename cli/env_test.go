package cli

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/snapshot"
)

// Variables that only the test binary knows.
const (
	// envKillAt names a step of the store after which the process is killed.
	envKillAt = "DA_TEST_KILL_AT"
	// envSteps names a file that lists the steps as they are made.
	envSteps = "DA_TEST_STEPS"
	// envLater is how much later than it is the process takes it to be.
	envLater = "DA_TEST_LATER"
)

// testEnv is the environment of the da that tests run: the process's, with a
// store that can be stopped between its steps.
func testEnv() app.Env {
	env := app.System()
	if later, err := time.ParseDuration(os.Getenv(envLater)); err == nil {
		env.Now = func() time.Time { return time.Now().Add(later) }
	}
	env.StoreOptions = []snapshot.Option{snapshot.WithStep(func(step string) {
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
	})}
	return env
}
