package skills

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// Change is what happens to one file.
type Change struct {
	Path   string `json:"path"`
	Action string `json:"action"` // "write", "update", "remove" or "none"

	text string // what the file will hold; empty for "remove"
}

// folders are where agents look for skills, below a project or a home.
var folders = []string{".agents/skills", ".claude/skills"}

// places are where skill files go: every skill in every folder.
func places() []struct{ folder, skill string } {
	var all []struct{ folder, skill string }
	for _, folder := range folders {
		for _, skill := range Names {
			all = append(all, struct{ folder, skill string }{folder, skill})
		}
	}
	return all
}

// guides are the files that agents read first.
var guides = []string{"AGENTS.md", "CLAUDE.md"}

// Install says what it takes to have the skills below dir: their files in every
// folder where agents look, and a section in those guides that exist. Nothing
// is changed before Apply. A file of another's making at a skill's place is
// a CodeTargetExists error; a guide with one marker only is a CodeConfig error.
func Install(dir string) ([]Change, error) { return plan(dir, true) }

// Uninstall says what it takes to take away what Install has put there.
func Uninstall(dir string) ([]Change, error) { return plan(dir, false) }

// Apply makes the changes. What had to be made anew is whole or not there.
func Apply(changes []Change) error {
	for _, c := range changes {
		var err error
		switch c.Action {
		case "write", "update":
			err = put(c.Path, c.text)
		case "remove":
			err = remove(c.Path)
		}
		if err != nil {
			return atomicfile.Explain(c.Action+" "+c.Path, err)
		}
	}
	return nil
}

func plan(dir string, install bool) ([]Change, error) {
	var changes []Change
	add := func(path, old, text string, exists bool) {
		c := Change{Path: path, Action: "none", text: text}
		switch {
		case old == text && exists == (text != ""):
		case !exists:
			c.Action = "write"
		case text == "":
			c.Action = "remove"
		default:
			c.Action = "update"
		}
		if !exists && text == "" {
			return
		}
		changes = append(changes, c)
	}
	for _, at := range places() {
		path, text := filepath.Join(dir, filepath.FromSlash(at.folder), at.skill, "SKILL.md"), Text(at.skill)
		old, exists, err := read(path)
		if err != nil {
			return nil, err
		}
		switch {
		case exists && !strings.Contains(old, written) && install:
			return nil, &api.Error{Code: api.CodeTargetExists, Message: fmt.Sprintf("%s exists already, and was not written by this program", path),
				Hint: "Move it away, or install below another folder.", Next: []api.Step{api.Set(api.OptionFolder, "choose another folder")},
				Details: map[string]any{"path": path}}
		case exists && !strings.Contains(old, written):
			add(path, old, old, true)
		case install:
			add(path, old, text, exists)
		default:
			add(path, old, "", exists)
		}
	}
	var seen []string
	for _, name := range guides {
		path := filepath.Join(dir, name)
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target // one of them is often a link to the other
		}
		old, exists, err := read(path)
		if err != nil {
			return nil, err
		}
		if !exists || slices.Contains(seen, path) {
			continue
		}
		seen = append(seen, path)
		without, err := withoutSection(path, old)
		if err != nil {
			return nil, err
		}
		if install {
			add(path, old, withSection(old, without), true)
		} else if without != old {
			changes = append(changes, Change{Path: path, Action: "update", text: without})
		}
	}
	return changes, nil
}

func read(path string) (text string, exists bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, &api.Error{Code: api.CodeReadFailed, Message: "cannot read " + path + ": " + err.Error(), Err: err}
	}
	return string(data), true, nil
}

// withSection puts the section where it was, or at the end.
func withSection(old, without string) string {
	if begin := strings.Index(old, sectionBegin); begin >= 0 {
		_, after := cutSection(old, begin)
		return old[:begin] + section + after
	}
	if without != "" && !strings.HasSuffix(without, "\n") {
		without += "\n"
	}
	return without + "\n" + section
}

func withoutSection(path, old string) (string, error) {
	begin, end := strings.Index(old, sectionBegin), strings.Index(old, sectionEnd)
	if begin < 0 && end < 0 {
		return old, nil
	}
	if begin < 0 || end < begin || strings.Count(old, sectionBegin) != 1 || strings.Count(old, sectionEnd) != 1 {
		return "", &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("%s has the markers of da's section, but not one pair of them", path),
			Hint: fmt.Sprintf("Keep one line %s before one line %s, or neither.", sectionBegin, sectionEnd)}
	}
	before, after := cutSection(old, begin)
	return strings.TrimSuffix(before, "\n") + after, nil
}

// cutSection returns the text before and after the section.
func cutSection(old string, begin int) (before, after string) {
	after = old[strings.Index(old, sectionEnd)+len(sectionEnd):]
	return old[:begin], strings.TrimPrefix(strings.TrimPrefix(after, "\r"), "\n")
}

func put(path, text string) error {
	perm := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		perm = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.WriteFile(path, []byte(text), perm)
}

// remove deletes a skill file and the folders that are empty without it.
func remove(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	dir := filepath.Dir(path)
	for range 3 { // da, skills, .agents
		if os.Remove(dir) != nil {
			break // something else lives there
		}
		dir = filepath.Dir(dir)
	}
	return nil //nolint:nilerr // a folder that stays is not ours alone
}
