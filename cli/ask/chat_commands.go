package ask

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/draft"
	"github.com/agnes-data/da/cli/shell"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/workspace"
)

// chatHelp explains the slash commands.
const chatHelp = `/plan QUESTION  what the model would do; it changes and fetches nothing
/files          files of the workspace, and what the conversation has changed
/apply          make these changes in the workspace
/undo           drop these changes
/cost           what the conversation took
/tools          what the model may call
/quit           end
All other lines are questions.`

// chatWords returns the slash commands with descriptions, for completion.
func chatWords() (words []shell.Word) {
	for line := range strings.Lines(chatHelp) {
		if name, about, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.HasPrefix(name, "/") {
			words = append(words, shell.Word{Text: name, About: strings.TrimSpace(strings.TrimPrefix(about, "QUESTION"))})
		}
	}
	return words
}

// command executes a slash command. io.EOF ends the chat.
func (c *chat) command(ctx context.Context, line string) error {
	switch name := strings.Fields(line)[0]; name {
	case "/quit", "/exit":
		return io.EOF
	case "/cost":
		return c.say(c.cost())
	case "/files":
		return c.listFiles(ctx)
	case "/undo":
		return c.undo(ctx)
	case "/apply":
		return c.apply(ctx)
	case "/tools":
		var names []string
		for _, t := range c.agent.Tools.List() {
			names = append(names, t.Name)
		}
		return c.say(strings.Join(names, "\n"))
	case "/help":
		return c.say(chatHelp)
	default:
		return c.say("There is no command '" + name + "'. The commands are:\n" + chatHelp)
	}
}

func (c *chat) say(text string) error {
	_, err := fmt.Fprintln(c.app.IO.Out, printable.Text(text))
	return err
}

func (c *chat) cost() string {
	if c.last.Conversation == "" {
		return "Nothing was asked yet."
	}
	text := humanize.Grouped(c.last.Tokens) + " tokens so far"
	if c.last.TotalCost != nil {
		text += ", " + costs(c.last) + agent.MoneyOf(*c.last.TotalCost).String()
	}
	return text
}

// listFiles lists the files as the conversation sees them.
func (c *chat) listFiles(ctx context.Context) error {
	files, err := c.files(ctx)
	if err != nil {
		return err
	}
	view, err := draftOf(c.app, c.log.ID)
	if err != nil {
		return err
	}
	changes, err := draft.Changes(ctx, view)
	if err != nil {
		return err
	}
	if len(files)+len(changes) == 0 {
		return c.say("The workspace has no files; --file adds some.")
	}
	var lines []string
	for _, f := range files {
		lines = append(lines, f.Path)
	}
	for _, d := range changes {
		lines = append(lines, "  "+string(d.Action)+" "+d.File.Name)
	}
	return c.say(strings.Join(lines, "\n"))
}

// undo discards the conversation's changes, and tells the model.
func (c *chat) undo(ctx context.Context) error {
	return c.endDraft(ctx, "dropped", "Note: the user has dropped your changes to files; they are as before.", draft.Discard)
}

// apply applies the conversation's changes to the workspace.
func (c *chat) apply(ctx context.Context) error {
	return c.endDraft(ctx, "applied", "Note: the user has applied your changes to files.",
		func(ctx context.Context, view *workspace.Workspace) ([]workspace.DraftChange, error) {
			if there, err := draft.Changes(ctx, view); err != nil || len(there) == 0 {
				return nil, err
			}
			return view.Apply(ctx)
		})
}

func (c *chat) endDraft(ctx context.Context, done, tell string,
	end func(context.Context, *workspace.Workspace) ([]workspace.DraftChange, error)) error {
	view, err := draftOf(c.app, c.log.ID)
	if err != nil {
		return err
	}
	changes, err := end(ctx, view)
	if err != nil {
		return c.shown(ctx, err)
	}
	if len(changes) == 0 {
		return c.say("The conversation has changed no files.")
	}
	var names []string
	for _, d := range changes {
		names = append(names, string(d.Action)+" "+d.File.Name)
	}
	if err := c.agent.Tell(tell); err != nil {
		return err
	}
	return c.say(done + ": " + strings.Join(names, ", "))
}
