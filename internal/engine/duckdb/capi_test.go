package duckdb

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDeclarationsMatchHeader compiles our declarations after the header that
// comes with the library, as the C compiler refuses two that differ.
func TestDeclarationsMatchHeader(t *testing.T) {
	declarations, err := os.ReadFile("capi.h")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := compile(t, checkProgram(string(declarations))); err != nil {
		t.Errorf("capi.h has drifted from duckdb.h:\n%s", out)
	}
	// The check itself must be able to fail, in each of its three parts.
	for _, drift := range [][2]string{
		{"duckdb_bind_int64(duckdb_prepared_statement statement, idx_t index, int64_t value)",
			"duckdb_bind_int64(duckdb_prepared_statement statement, int index, int64_t value)"},
		{"DUCKDB_TYPE_UUID = 27", "DUCKDB_TYPE_UUID = 28"},
		{"_Static_assert(sizeof(duckdb_result) == 48", "_Static_assert(sizeof(duckdb_result) == 40"},
	} {
		drifted := strings.Replace(string(declarations), drift[0], drift[1], 1)
		if drifted == string(declarations) {
			t.Errorf("capi.h does not hold %q", drift[0])
		}
		if _, err := compile(t, checkProgram(drifted)); err == nil {
			t.Errorf("%q went unnoticed", drift[1])
		}
	}
}

// checkProgram includes the real header, ours without its types, and asserts
// our enum's numbers.
func checkProgram(declarations string) string {
	var b strings.Builder
	b.WriteString("#include \"duckdb.h\"\n#define DA_AFTER_DUCKDB_H\n")
	b.WriteString(declarations)
	for _, m := range regexp.MustCompile(`(?m)^\t(DUCKDB_TYPE_\w+) = (\d+),$`).FindAllStringSubmatch(declarations, -1) {
		fmt.Fprintf(&b, "_Static_assert(%s == %s, \"%s\");\n", m[1], m[2], m[1])
	}
	b.WriteString("_Static_assert(DuckDBSuccess == 0 && DuckDBError == 1, \"duckdb_state\");\n")
	return b.String()
}

func compile(t *testing.T, program string) (string, error) {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/duckdb/duckdb-go-bindings").Output()
	if err != nil {
		t.Fatal(err)
	}
	cc, err := exec.CommandContext(t.Context(), "go", "env", "CC").Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "check.c")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	include := filepath.Join(string(bytes.TrimSpace(dir)), "include")
	cmd := exec.CommandContext(t.Context(), string(bytes.TrimSpace(cc)), "-std=c11", "-Wall", "-Werror", "-fsyntax-only", "-I", include, file)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestLinkedVersion holds the constant to the library.
func TestLinkedVersion(t *testing.T) {
	c := connect(t, Options{})
	if v := one(t, c, "SELECT library_version FROM pragma_version()"); v != "v"+Version {
		t.Errorf("Version is %s, the library is %s", Version, v)
	}
}
