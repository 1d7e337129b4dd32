package jobs

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/words/shellwords"
)

// cron is the user's crontab. A schedule is two lines of it: the mark with the file,
// and what runs.
type cron struct{}

func (cron) texts(j job) map[string]string { return map[string]string{"crontab": cronLines(j)} }

// cronLines writes a job for the shell that cron starts. Cron itself takes % for the
// end of the line.
func cronLines(j job) string {
	words := []string{}
	if len(j.env) > 0 {
		words = append(words, "env")
	}
	for _, name := range slices.Sorted(maps.Keys(j.env)) {
		words = append(words, name+"="+j.env[name])
	}
	line := shellwords.Join(slices.Concat(words, j.words)) + " >/dev/null 2>&1"
	return fmt.Sprintf("%s%s\n%d %d * * * %s\n", mark, j.file, j.at.Minute(), j.at.Hour(), strings.ReplaceAll(line, "%", `\%`))
}

// read returns the lines of the crontab; none if there is no crontab, or no cron.
func (cron) read(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, "crontab", "-l").Output()
	if err != nil || len(out) == 0 {
		return nil, ctx.Err() // crontab fails where the user has no table
	}
	return strings.Split(strings.TrimRight(string(out), "\n"), "\n"), nil
}

func (cron) write(ctx context.Context, lines []string) error {
	cmd := exec.CommandContext(ctx, "crontab", "-")
	cmd.Stdin = strings.NewReader(strings.Join(append(lines, ""), "\n"))
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return noTimers(fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String())))
	}
	return nil
}

func (c cron) add(ctx context.Context, j job) error {
	if _, err := exec.LookPath("crontab"); err != nil {
		return noTimers(errNoTimers)
	}
	lines, err := c.read(ctx)
	if err != nil {
		return err
	}
	lines, _ = without(lines, j.file)
	return c.write(ctx, append(lines, strings.TrimRight(cronLines(j), "\n")))
}

func (c cron) list(ctx context.Context) (all []scheduled, err error) {
	lines, err := c.read(ctx)
	for i, l := range lines {
		file, ours := strings.CutPrefix(l, mark)
		if !ours || i+1 == len(lines) {
			continue
		}
		s := scheduled{File: file, By: "cron"}
		var minute, hour int
		if n, _ := fmt.Sscanf(lines[i+1], "%d %d", &minute, &hour); n == 2 {
			s.Daily = fmt.Sprintf("%02d:%02d", hour, minute)
		}
		all = append(all, s)
	}
	return all, err
}

func (c cron) remove(ctx context.Context, file string) (bool, error) {
	lines, err := c.read(ctx)
	if err != nil {
		return false, err
	}
	lines, was := without(lines, file)
	if !was {
		return false, nil
	}
	return true, c.write(ctx, lines)
}

// without returns the lines but those of a file's schedule.
func without(lines []string, file string) (kept []string, was bool) {
	for i := 0; i < len(lines); i++ {
		if lines[i] == mark+file {
			was = true
			i++ // and what runs
			continue
		}
		kept = append(kept, lines[i])
	}
	return kept, was
}
