package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Variables that only internal/testing/datest knows.
const (
	// envKillAt names a step of the store after which the process is killed.
	envKillAt = "DA_TEST_KILL_AT"
	// envSteps names a file that lists the steps as they are made.
	envSteps = "DA_TEST_STEPS"
	// envLater is how much later than it is the process takes it to be.
	envLater = "DA_TEST_LATER"
)

// daPath is the da that tests run. It is a program of its own, since the binary of
// the tests takes twice as long to start: it holds what only tests need.
var daPath string

// TestMain builds that program, and makes it the first da of PATH. A run of da in the
// process of the tests starts their binary as a process for its work; it is da then.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		os.Exit(Main(context.Background(), os.Args[1:], System())) //nolint:forbidigo // this is main here
	}
	os.Exit(withDa(m.Run)) //nolint:forbidigo // this is main here
}

func withDa(run func() int) int {
	forgetAgents()
	bin, err := os.MkdirTemp("", "da-test-bin")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(bin)
	daPath = filepath.Join(bin, "da")
	flags := "-s"
	if _, err := exec.LookPath("mold"); err == nil {
		flags += " -extldflags=-fuse-ld=mold"
	}
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags="+flags, "-o", daPath, "../internal/testing/datest").CombinedOutput(); err != nil {
		panic(string(out))
	}
	if err := os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		panic(err)
	}
	return run()
}
