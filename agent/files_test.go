package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/draft"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/workspace"
)

// files are a workspace that the tool write of a conversation writes to, in a draft.
type files struct {
	view *workspace.Workspace
	want map[string]string // what was acknowledged
}

// openFiles opens the workspace of a folder as a conversation has it.
func openFiles(t *testing.T, dir, conversation string, step func(string)) *files {
	t.Helper()
	w, err := workspace.Open(dir, workspace.Options{Now: time.Now, Step: step})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	f := &files{want: map[string]string{}}
	if f.view, err = draft.View(w, conversation); err != nil {
		t.Fatal(err)
	}
	return f
}

// write is the tool: {"n": 7} writes 7 into one of five files.
func (f *files) write(arguments json.RawMessage) (string, bool) {
	var in struct{ N int }
	if err := json.Unmarshal(arguments, &in); err != nil {
		return agent.Failed(err)
	}
	name, text := fmt.Sprintf("f%d.txt", in.N%5), fmt.Sprintf("n=%d\n", in.N)
	if _, err := f.view.Put(context.Background(), workspace.PutRequest{Name: name, Source: workspace.Created}, strings.NewReader(text)); err != nil {
		return agent.Failed(err)
	}
	f.want[name] = text
	return `{"ok":true}`, false
}

// check holds that the draft has what was acknowledged, and that it can be applied.
func (f *files) check(t *testing.T, about string) {
	t.Helper()
	look := func(w *workspace.Workspace) map[string]string {
		got := map[string]string{}
		list, err := w.List(t.Context(), "")
		for _, file := range list {
			c, openErr := w.Open(t.Context(), file.Name)
			if err = errors.Join(err, openErr); err != nil {
				break
			}
			text, readErr := io.ReadAll(c)
			err = errors.Join(readErr, c.Close())
			got[file.Name] = string(text)
		}
		if err != nil {
			t.Fatalf("%s: %v", about, err)
		}
		return got
	}
	if got := look(f.view); fmt.Sprint(got) != fmt.Sprint(f.want) {
		t.Fatalf("%s: the draft has %v, and %v was acknowledged", about, got, f.want)
	}
	if len(f.want) == 0 {
		return
	}
	if _, err := f.view.Apply(t.Context()); err != nil {
		t.Fatalf("%s: apply: %v", about, err)
	}
	if got := look(f.view); fmt.Sprint(got) != fmt.Sprint(f.want) {
		t.Fatalf("%s: the workspace has %v after the draft was applied", about, got)
	}
}

const (
	envKilledDir  = "DA_TEST_KILLED_DIR"
	envKilledBase = "DA_TEST_KILLED_BASE"
	envKilledStep = "DA_TEST_KILLED_STEP"
)

// untilWritten is a model that writes until it is told that this was done.
func untilWritten(r providertest.Request) providertest.Reply {
	usage := provider.Usage{Input: 10, Output: 10}
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			if b.Result != nil && !b.Result.Failed {
				return providertest.Reply{Text: "Written.", Usage: usage}
			}
		}
	}
	return providertest.Reply{Calls: []provider.Call{write("w", 7)}, Usage: usage}
}

// killedTalk is the talk of a process that is killed, or of the one after it.
func killedTalk(t *testing.T, dir, base string, step func(string)) (*agent.Agent, *conversation.Log, *files) {
	t.Helper()
	store := conversation.Store{Dir: filepath.Join(dir, "talks"), Now: time.Now}
	p, err := provider.New(provider.Options{Kind: provider.Anthropic, Model: "m", BaseURL: base, Key: providertest.Key, AllowInsecureHTTP: true})
	if err != nil {
		t.Fatal(err)
	}
	id, err := store.Latest()
	var log *conversation.Log
	if err != nil {
		log, err = store.Create(conversation.Record{})
	} else {
		log, err = store.Open(id)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	f := openFiles(t, filepath.Join(dir, "files"), log.ID, step)
	a, err := agent.New(agent.Config{Provider: p, Tools: &bench{answer: func(_ string, arguments json.RawMessage) (string, bool) { return f.write(arguments) }}, Log: log, System: "x"})
	if err != nil {
		t.Fatal(err)
	}
	return a, log, f
}

// TestKilledInAWrite kills a process with kill -9 at each step that its tool makes
// on the disk, and goes on with the conversation: the model is told that the call
// may have been done, does it again, and the draft has the file once.
func TestKilledInAWrite(t *testing.T) {
	if dir := os.Getenv(envKilledDir); dir != "" {
		at := 0
		_, _ = fmt.Sscan(os.Getenv(envKilledStep), &at)
		a, _, _ := killedTalk(t, dir, os.Getenv(envKilledBase), func(string) {
			if at--; at == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		})
		if _, err := a.Ask(t.Context(), "Write it."); err != nil {
			t.Fatal(err)
		}
		return
	}
	model := providertest.NewServer(t, untilWritten)
	ended := false
	for at := 1; !ended; at++ {
		if at > 100 {
			t.Fatal("the process never ends")
		}
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledInAWrite$")
		cmd.Env = append(os.Environ(), envKilledDir+"="+dir, envKilledBase+"="+model.Base(provider.Anthropic), fmt.Sprintf("%s=%d", envKilledStep, at))
		out, err := cmd.CombinedOutput()
		var exited *exec.ExitError
		switch {
		case err == nil:
			ended = true
		case !errors.As(err, &exited) || exited.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL: //nolint:forcetypeassert // of this system
			t.Fatalf("step %d: %v: %s", at, err, out)
		}
		a, log, f := killedTalk(t, dir, model.Base(provider.Anthropic), nil)
		if a.Open() == ended {
			t.Fatalf("step %d: the turn is open: %v", at, a.Open())
		}
		if !ended {
			answer, err := a.Resume(t.Context())
			if err != nil || answer.Text != "Written." {
				t.Fatalf("step %d: %+v, %v", at, answer, err)
			}
			if said := fmt.Sprint(log.Records); !strings.Contains(said, "it may have been done or not") {
				t.Errorf("step %d: the model was not told: %s", at, said)
			}
		}
		f.want = map[string]string{"f2.txt": "n=7\n"}
		f.check(t, fmt.Sprintf("step %d", at))
		if ended && at < 4 {
			t.Errorf("there were %d steps only", at)
		}
	}
}
