// Package testneed ends tests on machines that lack a program which they drive.
//
// It is for tests only.
package testneed

import (
	"errors"
	"os"
	"os/exec"
	"testing"
)

// Skip skips the test for want of what, and names the command that installs it.
// In CI, where everything is installed, the test fails instead.
func Skip(t testing.TB, what, command string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed: %s", what, command)
	}
	t.Skipf("%s is not installed: '%s' installs it", what, command)
}

// Program skips the test if PATH has no such program.
func Program(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		Skip(t, name, "make needs")
	}
}

// Started ends the test if err says that a server did not start: it is skipped if
// the error is missing, which stands for a program that is not installed.
func Started(t testing.TB, err, missing error, what, command string) {
	t.Helper()
	if errors.Is(err, missing) {
		Skip(t, what, command)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// File skips the test if path, which command makes, does not exist.
func File(t testing.TB, path, what, command string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		Skip(t, what, command)
	}
}
