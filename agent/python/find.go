package python

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/sandbox"
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

// Find returns the python3 of PATH. Errors are api.CodeUnavailable, of kind
// no_python or no_sandbox, with the reason.
func Find(ctx context.Context) (*Interpreter, error) {
	if missing := sandbox.Available(); !missing.Enough() {
		return nil, &api.Error{Code: api.CodeUnavailable, Kind: "no_sandbox",
			Message: "Python is not offered: this machine cannot isolate it (missing: " + strings.Join(missing.Missing(), ", ") + ")"}
	}
	none := func(err error) error {
		return &api.Error{Code: api.CodeUnavailable, Kind: "no_python", Message: "Python is not offered: there is no working python3 here", Err: err}
	}
	program, err := exec.LookPath("python3")
	if err != nil {
		return nil, none(err)
	}
	out, err := exec.CommandContext(ctx, program, "-I", "-c", tell).Output()
	if err != nil {
		return nil, none(err)
	}
	var i Interpreter
	if err := json.Unmarshal(out, &i); err != nil || !filepath.IsAbs(i.Program) {
		return nil, none(fmt.Errorf("it answers %.100q", out))
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
