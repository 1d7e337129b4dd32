package sandbox

import (
	"errors"
	"time"
)

// Arg is the argument that makes the program a sandbox.
const Arg = "__sandbox"

// envSpec holds the Spec as JSON, for the process in between.
const envSpec = "DA_SANDBOX_SPEC"

// Called reports whether the program was started as a sandbox; its arguments do
// not include its name.
func Called(args []string) bool { return len(args) == 1 && args[0] == Arg }

// ErrUnsupported says that this system cannot isolate a program.
var ErrUnsupported = errors.New("programs can be isolated on Linux only (amd64 and arm64)")

// Spec is a program and what it may do.
type Spec struct {
	Program string   `json:"program"` // absolute path
	Args    []string `json:"args"`    // without the program's name
	Env     []string `json:"env"`     // all of its environment
	// Dir is its working directory, in which it may read and write.
	Dir string `json:"dir"`
	// Read are files and folders that it may read, and run programs from. Those
	// that are not there are passed over.
	Read []string `json:"read"`
	// Memory bounds what it can write to in memory, FileSize each file that it writes,
	// both in bytes; CPU its processor time. Memory that it shares with itself is
	// bounded by Taken alone, up to as much again.
	Memory   int64         `json:"memory"`
	FileSize int64         `json:"file_size"`
	CPU      time.Duration `json:"cpu"`
	// Office answers a program as LibreOffice, which looks by a local socket for others
	// of its kind: it may make one, and is told that it listens. None can be reached.
	Office bool `json:"office,omitempty"`
}

// Isolation says what a machine can restrict.
type Isolation struct {
	Landlock   int  `json:"landlock"` // the version of the kernel's interface; 0: none
	Seccomp    bool `json:"seccomp"`
	Namespaces bool `json:"namespaces"`
}

// Enough reports whether a program can neither reach other files nor the
// network.
func (i Isolation) Enough() bool { return i.Landlock > 0 && i.Seccomp }

// Missing names what the machine cannot give, for people.
func (i Isolation) Missing() (missing []string) {
	for name, there := range map[string]bool{"Landlock": i.Landlock > 0, "seccomp": i.Seccomp, "user namespaces": i.Namespaces} {
		if !there {
			missing = append(missing, name)
		}
	}
	return missing
}
