package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/cli/demo"
	"github.com/agnes-data/da/skills"
)

// TestSkillCommandsRun runs every command of the skills, in their order, on the
// demo's data: those that ask an instance against a server, those on files without.
func TestSkillCommandsRun(t *testing.T) {
	for _, name := range skills.Names {
		t.Run(name, func(t *testing.T) { runSkill(t, shellCommands(skills.Text(name)), name == "da") })
	}
}

// writeSkillFiles makes the files that the skill about files speaks of.
func writeSkillFiles(p *place, dir string) {
	p.t.Helper()
	sales := "id,region,amount,days\n"
	for i := range 150 {
		sales += fmt.Sprintf("%d,%s,%d.50,%d\n", i, []string{"north", "south"}[i%2], i*3, i%40)
	}
	if err := os.WriteFile(filepath.Join(dir, "sales.csv"), []byte(sales), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.workbook(filepath.Join(dir, "targets"), "region,target\nnorth,9000\nsouth,8000\n")
}

func runSkill(t *testing.T, commands []string, served bool) {
	if len(commands) < 15 {
		t.Fatalf("found only %d commands", len(commands))
	}
	p := &place{t: t, dir: t.TempDir()}
	if err := demo.Write(p.dir); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(p.dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(daPath, filepath.Join(bin, "da")); err != nil {
		t.Fatal(err)
	}
	p.env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + p.dir, "DA_HOME=" + filepath.Join(p.dir, "home"),
		"DA_INSTANCE=" + filepath.Join(p.dir, demo.InstanceFile)}
	if served {
		p = p.served()
	}
	work := t.TempDir()
	writeSkillFiles(p, work)
	for _, c := range commands {
		want := 0
		if _, code, found := strings.Cut(c, "# exit "); found {
			want, _ = strconv.Atoi(strings.TrimSpace(code))
		}
		cmd := exec.Command("sh", "-c", c)
		cmd.Dir, cmd.Env = work, p.env
		if got := finish(t, cmd); got.code != want {
			t.Errorf("%s\nexit %d, not %d\n%s%s", c, got.code, want, got.stdout, got.stderr)
		}
	}
}

// shellCommands are the lines of the sh blocks of a Markdown text.
func shellCommands(text string) []string {
	var commands []string
	inside := false
	for _, line := range strings.Split(text, "\n") {
		switch {
		case line == "```sh":
			inside = true
		case line == "```":
			inside = false
		case inside && line != "":
			commands = append(commands, line)
		}
	}
	return commands
}
