package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/server/core"
)

const (
	// stepsEndIn is how long steps that are asked to end may take for it.
	stepsEndIn = 30 * time.Second
	// deliveryTime bounds each delivery of a run, so that one that hangs takes nothing from the next.
	deliveryTime = 5 * time.Minute
	// notDelivered is the exit code of a run that failed outside its steps, as of a failed source.
	notDelivered = 5
)

// schedules runs files of steps for users of a server. Each run is a process of its own,
// which asks this server as any client does, with a token that ends with it.
type schedules struct {
	core *core.Core
	log  *slog.Logger
	dir  string // each schedule has its snapshots and records in a folder below
	url  string // of this server
	// patience bounds each delivery.
	patience time.Duration
}

// delivery is what a webhook and a command are told.
type delivery struct {
	Schedule string `json:"schedule"`
	User     string `json:"user"`
	core.ScheduledRun
	Steps []json.RawMessage `json:"steps"` // as 'da run --json' prints them
	Files []string          `json:"files"` // that the user got
}

// fails keeps an error, unless there is one.
func (d *delivery) fails(err error) {
	if d.ExitCode == 0 {
		d.ExitCode = notDelivered
	}
	if d.Message == "" {
		d.Message = err.Error()
	}
}

// keep runs what is due until ctx is done. What was missed runs at the start.
func (s *schedules) keep(ctx context.Context, all []config.Schedule) {
	var wg sync.WaitGroup
	for _, c := range all {
		wg.Go(func() {
			due := c.Due(s.core.Now())
			for missed := true; ; missed = false {
				if err := s.run(ctx, c, due, missed); err != nil && ctx.Err() == nil {
					s.log.Error("a scheduled run failed", "schedule", c.Name, "cause", err.Error())
				}
				due = c.Due(s.core.Now()).Add(c.Every)
				select {
				case <-time.After(due.Sub(s.core.Now())):
				case <-ctx.Done():
					return
				}
			}
		})
	}
	wg.Wait()
}

// run runs the steps of one schedule, unless another server does, and delivers.
func (s *schedules) run(ctx context.Context, c config.Schedule, due time.Time, missed bool) error {
	mine, err := s.core.BeginRun(ctx, c.Name, c.User, due, c.Every, missed)
	if err != nil || !mine {
		return err
	}
	server := c.Server
	if server == "" {
		server = s.url
	}
	done := delivery{Schedule: c.Name, User: c.User, ScheduledRun: core.ScheduledRun{Due: due}, Files: []string{}}
	var secret string
	token, folder, err := s.core.RunToken(ctx, c.Name, c.User, c.Every)
	if err == nil {
		secret = token.Secret
		done.Steps, done.ExitCode, err = s.steps(ctx, c, filepath.Join(s.dir, c.Name, folder), server, secret)
	}
	if err != nil {
		done.fails(err)
	}
	for _, step := range done.Steps {
		var failed struct{ Step, Status, Message string }
		if json.Unmarshal(step, &failed) == nil && failed.Status == "failed" && done.Message == "" {
			done.Message = failed.Step + ": " + failed.Message
		}
	}
	err = s.deliver(ctx, c, server, secret, &done)
	if err != nil {
		done.fails(err)
	}
	s.log.Info("a scheduled run ended", "schedule", c.Name, "exit_code", done.ExitCode)
	// A server that is ended fails what it cuts off, and says so, too.
	return errors.Join(err, s.core.EndRun(context.WithoutCancel(ctx), c.Name, token, done.ScheduledRun))
}

// steps runs the file, with its snapshots and records in a folder, and returns the line of each step.
func (s *schedules) steps(ctx context.Context, c config.Schedule, home, server, token string) (out []json.RawMessage, code int, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, 0, err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, 0, err
	}
	cmd := exec.CommandContext(ctx, program, "run", c.File, "--json")
	cmd.Dir = filepath.Dir(c.File)
	cmd.Env = append(app.Uncredentialed(), "HOME="+home, "DA_HOME="+home, "DA_SERVER="+server, "DA_TOKEN="+token,
		"DA_AGENT=schedule "+c.Name)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stepsEndIn
	text, err := cmd.Output()
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var line json.RawMessage
		if decoder.Decode(&line) != nil {
			break
		}
		out = append(out, line)
	}
	var exited *exec.ExitError
	switch {
	case errors.As(err, &exited) && exited.Exited() && len(out) > 0:
		return out, exited.ExitCode(), nil
	case errors.As(err, &exited): // before a step: the file is faulty
		var said struct{ Error struct{ Message string } }
		if json.Unmarshal(exited.Stderr, &said) == nil {
			return out, exited.ExitCode(), errors.New(said.Error.Message)
		}
		return out, 0, fmt.Errorf("%w: %s", err, api.Clip(string(bytes.TrimSpace(exited.Stderr)), 500))
	}
	return out, 0, err
}

// deliver gives the user the files, if all is as it should be, and tells how the run ended.
func (s *schedules) deliver(ctx context.Context, c config.Schedule, server, token string, done *delivery) error {
	var failed error
	within := func(what string, do func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(ctx, s.patience)
		defer cancel()
		err := do(ctx)
		if err != nil {
			err = fmt.Errorf("%s: %w", what, err)
			failed = errors.Join(failed, err)
		}
		return err
	}
	if done.ExitCode == 0 {
		for _, file := range c.Files {
			if within("deliver "+file, func(ctx context.Context) error {
				return upload(ctx, server, token, c.Folder, filepath.Dir(c.File), file)
			}) == nil {
				done.Files = append(done.Files, file)
			}
		}
	}
	if failed != nil {
		done.fails(failed)
	}
	text, err := json.Marshal(done)
	if err != nil {
		return err
	}
	if c.Webhook != "" {
		_ = within("tell the webhook", func(ctx context.Context) error {
			return post(ctx, c.Webhook, "application/json", "", bytes.NewReader(text))
		})
	}
	if len(c.Command) > 0 {
		_ = within("run "+c.Command[0], func(ctx context.Context) error {
			cmd := exec.CommandContext(ctx, c.Command[0], c.Command[1:]...)
			cmd.Dir, cmd.Env, cmd.Stdin = filepath.Dir(c.File), app.Uncredentialed(), bytes.NewReader(text)
			cmd.WaitDelay = time.Second // what it has started can hold its output open
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, api.Clip(string(out), 500))
			}
			return err
		})
	}
	return failed
}

// upload stores a file below a folder as one of the user's. Links do not lead out of it.
func upload(ctx context.Context, server, token, into, dir, name string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Stat(name); err != nil {
		return err
	} else if !info.Mode().IsRegular() { // opening a pipe waits for its writer
		return errors.New("it is a folder, a pipe or a device, not a file")
	}
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	body, w := io.Pipe()
	defer body.Close()
	form := multipart.NewWriter(w)
	go func() {
		part, err := form.CreateFormFile("file", filepath.Base(name))
		if err == nil {
			_, err = io.Copy(part, f)
		}
		w.CloseWithError(errors.Join(err, form.Close()))
	}()
	return post(ctx, server+"/api/files/upload?folder="+url.QueryEscape(into), form.FormDataContentType(), token, body)
}

// direct follows no redirects: neither a token nor what is told goes where nobody sent it, and
// another page's answer is no delivery.
var direct = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func post(ctx context.Context, to, kind, token string, body io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", kind)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := direct.Do(req)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // addresses of webhooks hold secrets
		}
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 500))
		return fmt.Errorf("%s: %s", answer.Status, said)
	}
	return nil
}
