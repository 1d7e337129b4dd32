package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/config"
)

// forgetAgents makes tests answer nobody but themselves where an agent runs
// them.
func forgetAgents() {
	for _, a := range config.Agents {
		if a.Model {
			os.Unsetenv(a.Variable)
		}
	}
}

// TestEveryVariableIsListed looks for the environment variables that the code
// of the program asks for: each is in config.Variables or config.Agents.
func TestEveryVariableIsListed(t *testing.T) {
	t.Parallel()
	listed := []string{"LESS", "LESSCHARSET", "PATH", "DISPLAY", "WAYLAND_DISPLAY", "GOGC", "GOMEMLIMIT"} // passed on, or the system's
	for _, v := range config.Variables {
		listed = append(listed, v.Name)
	}
	found := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch name := d.Name(); {
			case slices.Contains([]string{"bench", "build", "testing", "testdata", ".git", ".cache", "gen", "bundle"}, name):
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			name := ""
			switch f := call.Fun.(type) {
			case *ast.SelectorExpr:
				name = f.Sel.Name
			case *ast.Ident:
				name = f.Name
			}
			lit, isText := call.Args[0].(*ast.BasicLit)
			if !strings.EqualFold(name, "getenv") && !strings.EqualFold(name, "lookupenv") || !isText {
				return true
			}
			found++
			if variable, err := strconv.Unquote(lit.Value); err != nil || !slices.Contains(listed, variable) {
				t.Errorf("%s asks for %s, which config.Variables does not list", path, lit.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 5 {
		t.Errorf("found only %d variables", found)
	}
	for _, v := range config.Variables {
		if v.Flag == "" {
			continue
		}
		if root := referenceRoot(t); root.PersistentFlags().Lookup(v.Flag) == nil && v.Flag != "root" {
			t.Errorf("%s: there is no flag --%s", v.Name, v.Flag)
		}
	}
}

func TestAgentsAreKnownByTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env   map[string]string
		name  string
		model bool
	}{
		{map[string]string{}, "", false},
		{map[string]string{"CI": "true"}, "ci", false},
		{map[string]string{"CLAUDECODE": "1", "CI": "true"}, "claude-code", true},
		{map[string]string{"CLAUDECODE": "0"}, "", false},
		{map[string]string{"AI_AGENT": "someone"}, "someone", true},
		{map[string]string{"AI_AGENT": "bad name\n"}, "other", true},
		{map[string]string{"CODEX_THREAD_ID": "7"}, "codex", true},
		{map[string]string{"CURSOR_AGENT": "1"}, "cursor", true},
		{map[string]string{"GEMINI_CLI": "1"}, "gemini-cli", true},
		{map[string]string{"DA_AGENT": "nightly"}, "nightly", false},
	} {
		getenv := func(name string) string { return tt.env[name] }
		if name, model := app.AgentName(getenv), app.AgentReads(getenv); name != tt.name || model != tt.model {
			t.Errorf("%v: %q, %v", tt.env, name, model)
		}
	}
}
