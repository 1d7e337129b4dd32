package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/reference"
	"github.com/agnes-data/da/internal/iostreams"
	"github.com/agnes-data/da/internal/testing/testneed"
)

func referenceRoot(t *testing.T) *cobra.Command {
	t.Helper()
	return newRootCmd(silentApp(t))
}

// silentApp is a run of da that prints nothing.
func silentApp(t *testing.T) *app.App {
	t.Helper()
	io, _, _, _ := iostreams.Test()
	return app.New(t.Context(), app.Env{IO: io, Getenv: func(string) string { return "" }}, nil)
}

func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	reference.Walk(referenceRoot(t), func(c *cobra.Command) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: Short is one sentence without a full stop, not %q", c.CommandPath(), c.Short)
		}
		if c.HasParent() && !c.HasSubCommands() && c.Example == "" && c.Parent().Example == "" && !strings.HasPrefix(c.CommandPath(), "da admin ") {
			t.Errorf("%s: no example, nor in the command above it", c.CommandPath())
		}
	})
}

// TestBashCompletes runs the script in a real bash, as the key would.
func TestBashCompletes(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "bash")
	p := newPlace(t)
	if err := os.Symlink(daPath, filepath.Join(p.dir, "da")); err != nil {
		t.Fatal(err)
	}
	// What the script expects of bash-completion: the words before the cursor.
	const drive = `
source "$HOME/da.bash"
_init_completion() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }
compopt() { :; }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9
__start_da
printf '%s\n' "${COMPREPLY[@]}"`
	if err := os.WriteFile(filepath.Join(p.dir, "da.bash"), []byte(p.ok("completion", "bash")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		typed []string
		want  string
	}{
		{[]string{"da", "schem"}, "schema"},
		{[]string{"da", "schema", "fl"}, "flights"},
		{[]string{"da", "fetch", "flights", "--select", "date,de"}, "date,delay"},
		{[]string{"da", "fetch", "flights", "--select", "date,delay,dis"}, "date,delay,distance"},
	} {
		cmd := exec.Command("bash", append([]string{"--norc", "-c", drive}, append([]string{"bash"}, tt.typed...)...)...)
		cmd.Dir, cmd.Env = p.dir, append(p.env, "PATH="+p.dir+":"+os.Getenv("PATH"))
		got := finish(t, cmd)
		// One match comes alone; bash shows descriptions only among several.
		if strings.TrimSpace(got.stdout) != tt.want {
			t.Errorf("%v offers %q, not %q\n%s", tt.typed, got.stdout, tt.want, got.stderr)
		}
	}
}
