package ask

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/shell"
	"github.com/agnes-data/da/cli/usage"
)

// NewChatCmd returns 'da chat'.
func NewChatCmd(a *app.App) *cobra.Command {
	var o askOptions
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk to a model that works with the tools, question by question",
		Long: `Chat asks a model one question after the other in one conversation, as da ask
does for one. Each line is a question. Lines that begin with a slash are for the
chat itself: /plan QUESTION asks what the model would do, and lets it change and
fetch nothing; /files lists files, and what has changed in them; /undo drops
these changes, /apply makes them in the workspace; /cost, /tools, /help, /quit.
A terminal has line editing, a history, and completion of these with Tab. Ctrl-D
ends the chat, Ctrl-C during an answer too; da chat --continue goes on.`,
		Example: "  da chat\n  da chat --continue",
		Args:    usage.Exactly(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runChat(cmd.Context(), a, o) },
	}
	o.register(cmd)
	o.registerTalk(cmd)
	return cmd
}

// chat is one run of da chat.
type chat struct {
	*talk
	last agent.Answer
}

func runChat(ctx context.Context, a *app.App, o askOptions) error {
	if a.ServesCalls {
		return serveAgentCalls(ctx, a, false)
	}
	if err := a.NoFormat("a conversation"); err != nil {
		return err
	}
	t, err := openTalk(ctx, a, o)
	if err != nil {
		return err
	}
	defer t.close()
	t.shows(output.Table)
	c := &chat{talk: t}
	read, err := c.lines(a)
	if err != nil {
		return err
	}
	for {
		line, err := read(ctx)
		if shell.Interrupted(err) {
			continue
		}
		if question := strings.TrimSpace(line); question != "" {
			if failed := c.take(ctx, question); errors.Is(failed, io.EOF) {
				return nil
			} else if failed != nil {
				return failed
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// chatPrompt is shown to those who type.
const chatPrompt = "you> "

// lines returns a function that reads questions: with the shell's line editing if
// the terminal supports it, otherwise plainly.
func (c *chat) lines(a *app.App) (func(context.Context) (string, error), error) {
	home, err := a.Places().Data()
	if err != nil {
		return nil, err
	}
	read := shell.Prompt{IO: a.IO, Getenv: a.Getenv, Text: chatPrompt, HistoryFile: filepath.Join(home, "chat_history"),
		Commands: chatWords(), Note: a.Note}.Open()
	if read != nil {
		a.Note("Each line is a question. /help lists the commands, Ctrl-D ends.")
		return read, nil
	}
	in := bufio.NewReaderSize(a.IO.In, 64<<10)
	return func(context.Context) (string, error) {
		if a.IO.InTerminal {
			fmt.Fprint(a.IO.Err, chatPrompt)
		}
		return readQuestion(in)
	}, nil
}

// readQuestion reads a line of limited length.
func readQuestion(in *bufio.Reader) (string, error) {
	var line strings.Builder
	for {
		part, err := in.ReadSlice('\n')
		line.Write(part)
		if line.Len() > maxQuestion {
			return "", usage.Error(fmt.Sprintf("the question is longer than %d bytes", maxQuestion))
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line.String(), err
		}
	}
}

// take handles one line. On a terminal, an error is shown and the chat continues.
func (c *chat) take(ctx context.Context, line string) error {
	ask := c.ask
	if plan, ok := strings.CutPrefix(line, "/plan "); ok {
		line = plan
		ask = func(ctx context.Context, question string) (agent.Answer, error) {
			return c.agent.Plan(ctx, question, c.takeAttached()...)
		}
	} else if strings.HasPrefix(line, "/") {
		return c.command(ctx, line)
	}
	answer, err := ask(ctx, line)
	if err == nil {
		c.last = answer
		if err = c.print(output.Table, answer); err == nil {
			err = ended(answer)
		}
	} else {
		err = c.explain(err)
	}
	return c.shown(ctx, err)
}

// shown prints an error on a terminal, where the chat continues after it.
func (c *chat) shown(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || !c.app.IO.InTerminal {
		return err
	}
	exit.Write(c.app.IO.Err, c.app.IO.ErrWidth, exit.Failure(err, false), "", false)
	return nil
}
