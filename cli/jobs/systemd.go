package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// systemd is the user's own instance of it: a schedule is a service and its timer.
type systemd struct{ dir string }

// runs reports whether the user's session has it.
func (systemd) runs(ctx context.Context) bool {
	return exec.CommandContext(ctx, "systemctl", "--user", "show-environment").Run() == nil
}

func (s systemd) path(file, kind string) string { return filepath.Join(s.dir, key(file)+kind) }

func (s systemd) texts(j job) map[string]string {
	env := ""
	for _, name := range slices.Sorted(maps.Keys(j.env)) {
		env += "Environment=" + unitWord(name+"="+j.env[name], false) + "\n"
	}
	words := make([]string, len(j.words))
	for i, w := range j.words {
		words[i] = unitWord(w, true)
	}
	about := mark + j.file + "\n[Unit]\nDescription=" + strings.ReplaceAll("da run "+filepath.Base(j.file), "%", "%%") + "\n\n"
	return map[string]string{
		s.path(j.file, ".service"): about + "[Service]\nType=oneshot\n" + env + "ExecStart=" + strings.Join(words, " ") + "\n",
		s.path(j.file, ".timer"): about + "[Timer]\nOnCalendar=*-*-* " + j.daily() +
			":00\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n",
	}
}

// unitWord writes a word for a unit file. A $ is special only in a command.
func unitWord(w string, inCommand bool) string {
	w = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(w)
	if inCommand {
		w = strings.ReplaceAll(w, "$", "$$")
	}
	return `"` + w + `"`
}

func (s systemd) add(ctx context.Context, j job) error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return atomicfile.Explain("make the folder of the timers", err)
	}
	for path, text := range s.texts(j) {
		if err := atomicfile.WriteFile(path, []byte(text), 0o644); err != nil {
			return atomicfile.Explain("write a timer", err)
		}
	}
	name := filepath.Base(s.path(j.file, ".timer"))
	if err := s.control(ctx, "daemon-reload"); err != nil {
		return err
	}
	if err := s.control(ctx, "enable", name); err != nil {
		return err
	}
	return s.control(ctx, "restart", name) // also if its time has changed
}

func (systemd) control(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, "systemctl", append([]string{"--user"}, args...)...).CombinedOutput()
	if err != nil {
		return noTimers(fmt.Errorf("systemctl %s: %w: %s", args[0], err, strings.TrimSpace(string(out))))
	}
	return nil
}

func (s systemd) list(context.Context) (all []scheduled, err error) {
	files, err := filepath.Glob(filepath.Join(s.dir, "da-*.timer"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, atomicfile.Explain("read a timer", err)
		}
		first, rest, _ := strings.Cut(string(text), "\n")
		file, ours := strings.CutPrefix(first, mark)
		if !ours {
			continue
		}
		_, at, _ := strings.Cut(rest, "OnCalendar=*-*-* ")
		all = append(all, scheduled{File: file, By: "systemd", Daily: at[:min(5, len(at))]})
	}
	return all, err
}

func (s systemd) remove(ctx context.Context, file string) (bool, error) {
	if !isThere(s.path(file, ".timer")) && !isThere(s.path(file, ".service")) {
		return false, nil
	}
	if s.runs(ctx) {
		if err := s.control(ctx, "disable", "--now", filepath.Base(s.path(file, ".timer"))); err != nil {
			return true, err
		}
	}
	for _, kind := range []string{".timer", ".service"} {
		if err := os.Remove(s.path(file, kind)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return true, atomicfile.Explain("remove a timer", err)
		}
	}
	if s.runs(ctx) {
		return true, s.control(ctx, "daemon-reload")
	}
	return true, nil
}
