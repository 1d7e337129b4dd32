package skills

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"github.com/agnes-data/da/api"
)

// TestSkillKeepsTheFormat holds the rules of the Agent Skills specification.
func TestSkillKeepsTheFormat(t *testing.T) {
	for _, name := range Names {
		t.Run(name, func(t *testing.T) { keepsTheFormat(t, name, Text(name)) })
	}
}

func keepsTheFormat(t *testing.T, name, text string) {
	head, body, found := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	if !strings.HasPrefix(text, "---\n") || !found || strings.TrimSpace(body) == "" {
		t.Fatal("no front matter, or nothing behind it")
	}
	var front map[string]string
	if err := yaml.UnmarshalWithOptions([]byte(head), &front, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	for key := range front {
		switch key {
		case "name", "description", "license", "compatibility":
		default:
			t.Errorf("front matter has %q", key)
		}
	}
	if n := front["name"]; n != name || len(n) > 64 || !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(n) {
		t.Errorf("name is %q, which must be the folder's", n)
	}
	if n := utf8.RuneCountInString(front["description"]); n < 1 || n > 1024 {
		t.Errorf("the description has %d characters", n)
	}
	if n := utf8.RuneCountInString(front["compatibility"]); n > 500 {
		t.Errorf("compatibility has %d characters", n)
	}
	if n := strings.Count(text, "\n"); n >= 200 {
		t.Errorf("the skill has %d lines", n)
	}
	if strings.Contains(text, "{{") || !strings.Contains(text, written) {
		t.Error("a table is missing, or the mark that da wrote it")
	}
}

func TestInstall(t *testing.T) {
	dir := t.TempDir()
	guide := filepath.Join(dir, "AGENTS.md")
	const before = "# Ours\n\nKeep this.\n"
	mustWrite(t, guide, before)
	if err := os.Symlink("AGENTS.md", filepath.Join(dir, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	if got := actions(t, dir, Install, false); got != "write write write write update" || mustRead(t, guide) != before {
		t.Fatalf("the plan is %q, and the guide %q", got, mustRead(t, guide))
	}
	actions(t, dir, Install, true)
	for _, folder := range folders {
		for _, name := range Names {
			if mustRead(t, filepath.Join(dir, folder, name, "SKILL.md")) != Text(name) {
				t.Errorf("%s has another text of %s", folder, name)
			}
		}
	}
	if got := mustRead(t, guide); got != before+"\n"+section {
		t.Errorf("the guide is %q", got)
	}
	if got := actions(t, dir, Install, true); got != "none none none none none" {
		t.Errorf("a second time changes %s", got)
	}
	// What stands behind the section stays, and an old section is replaced.
	mustWrite(t, guide, before+"\n"+sectionBegin+"\nold\n"+sectionEnd+"\nBehind.\n")
	actions(t, dir, Install, true)
	if got := mustRead(t, guide); got != before+"\n"+section+"Behind.\n" {
		t.Errorf("the guide is %q", got)
	}
	actions(t, dir, Uninstall, true)
	if got := mustRead(t, guide); got != before+"Behind.\n" {
		t.Errorf("the guide is %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, ".agents")); !os.IsNotExist(err) {
		t.Errorf("an empty folder stays: %v", err)
	}
	if got := actions(t, dir, Uninstall, true); got != "" {
		t.Errorf("a second time changes %s", got)
	}
	if info, err := os.Lstat(filepath.Join(dir, "CLAUDE.md")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
}

func TestInstallTouchesNothingOfOthers(t *testing.T) {
	dir := t.TempDir()
	skill := filepath.Join(dir, ".claude", "skills", "da", "SKILL.md")
	if err := os.MkdirAll(filepath.Dir(skill), 0o755); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, skill, "mine")
	if _, err := Install(dir); !api.CodeTargetExists.Is(err) {
		t.Errorf("got %v", err)
	}
	actions(t, dir, Uninstall, true)
	if mustRead(t, skill) != "mine" {
		t.Error("a file of another's was changed")
	}
	for _, text := range []string{sectionBegin, sectionEnd + sectionBegin, sectionBegin + sectionEnd + sectionBegin + sectionEnd} {
		dir := t.TempDir()
		mustWrite(t, filepath.Join(dir, "CLAUDE.md"), text)
		if _, err := Install(dir); !api.CodeConfig.Is(err) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func actions(t *testing.T, dir string, plan func(string) ([]Change, error), apply bool) string {
	t.Helper()
	changes, err := plan(dir)
	if err != nil {
		t.Fatal(err)
	}
	if apply {
		if err := Apply(changes); err != nil {
			t.Fatal(err)
		}
	}
	var all []string
	for _, c := range changes {
		all = append(all, c.Action)
	}
	return strings.Join(all, " ")
}

func mustWrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
