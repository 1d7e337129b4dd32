package python

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/sandbox"
)

// Interpreter is the Python of this machine.
type Interpreter struct {
	// Program is absolute. In a virtual environment it is a symbolic link, whose
	// place is how Python finds the packages there.
	Program string `json:"program"`
	Version string `json:"version"`
	// Modules are those of pandas, numpy, polars, pyarrow and duckdb that it has.
	Modules []string `json:"modules"`
	// Prefixes are the folders that it is installed in.
	Prefixes []string `json:"prefixes"`
	// Disk is the most that a conversation may have in its working folder, in bytes;
	// 0: 2 GB.
	Disk int64 `json:"-"`
}

// tell is a Python program that describes its interpreter.
const tell = `import importlib.util, json, os, platform, sys
print(json.dumps({"program": os.path.abspath(sys.executable), "version": platform.python_version(),
  "modules": [m for m in ("pandas", "numpy", "polars", "pyarrow", "duckdb") if importlib.util.find_spec(m)],
  "prefixes": sorted({sys.prefix, sys.base_prefix})}))`

// Find returns the interpreter of a path; if that is empty, the first python3 of PATH that
// has pandas, else the first that works. Errors are api.CodeUnavailable, of kind
// no_python or no_sandbox, with the reason.
func Find(ctx context.Context, program string) (*Interpreter, error) {
	if missing := sandbox.Available(); !missing.Enough() {
		return nil, &api.Error{Code: api.CodeUnavailable, Kind: api.KindNoSandbox,
			Message: "Python is not offered: this machine cannot isolate it (missing: " + strings.Join(missing.Missing(), ", ") + ")"}
	}
	programs := []string{program}
	if program == "" {
		programs = nil
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			if found, err := exec.LookPath(filepath.Join(dir, "python3")); err == nil && filepath.IsAbs(found) {
				programs = append(programs, found)
			}
		}
	}
	var first *Interpreter
	var failed error
	for _, program := range programs {
		i, err := ask(ctx, program)
		switch {
		case err != nil:
			failed = errors.Join(failed, err)
		case slices.Contains(i.Modules, "pandas"):
			return i, nil
		case first == nil:
			first = i
		}
	}
	if first == nil {
		return nil, &api.Error{Code: api.CodeUnavailable, Kind: api.KindNoPython, Err: failed,
			Message: "Python is not offered: there is no working " + cmp.Or(program, "python3 in PATH")}
	}
	return first, nil
}

// ask lets an interpreter describe itself.
func ask(ctx context.Context, program string) (*Interpreter, error) {
	out, err := exec.CommandContext(ctx, program, "-I", "-c", tell).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	var i Interpreter
	if err := json.Unmarshal(out, &i); err != nil || !filepath.IsAbs(i.Program) {
		return nil, fmt.Errorf("%s answers %.100q", program, out)
	}
	return &i, nil
}

// reader returns the module that reads Parquet files; empty: there is none, and
// data sets are passed as lines of JSON.
func (i *Interpreter) reader() string {
	for _, m := range []string{"pyarrow", "polars", "duckdb"} {
		if slices.Contains(i.Modules, m) {
			return m
		}
	}
	return ""
}

// reads are the folders that the interpreter needs.
func (i *Interpreter) reads() []string {
	var paths []string
	for _, p := range i.Prefixes {
		paths = append(paths, filepath.Join(p, "lib"), filepath.Join(p, "lib64"), filepath.Join(p, "pyvenv.cfg"))
	}
	return append(paths, "/usr/share/python3", "/etc/python3")
}
