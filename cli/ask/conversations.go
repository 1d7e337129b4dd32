package ask

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
)

// NewConversationsCmd returns 'da conversations'.
func NewConversationsCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "conversations <command>",
		Short: "List, show, export and delete conversations with a model",
		Long: `Each da ask is kept in a conversation: what was asked, which tools were called
with what, what they answered, and what it cost. They lie below DA_HOME, where
only you can read them, until you delete them.`,
		Example: "  da conversations list\n  da conversations show 1f2e3d4c5b6a7988",
		Args:    cobra.ArbitraryArgs,
		RunE:    usage.Group,
	}
	cmd.AddCommand(newConversationsListCmd(a), newConversationsShowCmd(a), newConversationsExportCmd(a), newConversationsDeleteCmd(a))
	return cmd
}

// Outputs says what the commands about conversations and receipts print as
// JSON.
func Outputs() output.Printed {
	return output.Printed{
		"da ask": {{When: "with -o ndjson, one a line", Value: agent.Event{}}, {When: "with --test", Value: Tested{}}, {When: "with --estimate", Value: agent.Estimate{}},
			{When: "else", Value: Answer{}}},
		"da conversations list":   {{Value: ConversationList{}}},
		"da conversations show":   {{Value: conversationShown{}}},
		"da conversations delete": {{Value: conversationsDeleted{}}},
		"da receipt show":         {{Value: receipt.Receipt{}}},
		"da receipt verify":       {{Value: verified{}}},
		"da receipt replay":       {{Value: Replayed{}}},
	}
}

// ConversationList is what da conversations list --json prints.
type ConversationList struct {
	Conversations []conversation.Info `json:"conversations"` // the latest first
}

func newConversationsListCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List conversations, the latest first", Example: "  da conversations list",
		Args: usage.Exactly(),
		RunE: func(*cobra.Command, []string) error {
			store, err := Conversations(a)
			if err != nil {
				return err
			}
			all, err := store.List()
			if err != nil {
				return err
			}
			list := output.List{Columns: []string{"id", "last", "turns", "tool_calls", "tokens", "question"}}
			for _, c := range all {
				list.Rows = append(list.Rows, []any{c.ID, humanize.Age(a.Now().Sub(c.Last)), c.Turns, c.Calls, c.Tokens, c.Question})
			}
			return a.ShowItems(a.OutputFormat(), ConversationList{all}, list, all)
		},
	}
}

// conversationShown is what da conversations show --json prints.
type conversationShown struct {
	conversation.Info
	Records []conversation.Record `json:"records"` // without reasoning of the model
}

func newConversationsShowCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "show <id>", Short: "Show what was said and done in a conversation", Example: "  da conversations show 1f2e3d4c5b6a7988",
		Args:              usage.Exactly("id"),
		ValidArgsFunction: completeConversation(a),
		RunE: func(_ *cobra.Command, args []string) error {
			records, err := recordsOf(a, args[0])
			if err != nil {
				return err
			}
			if a.OutputFormat() == output.Table {
				_, err := fmt.Fprint(a.IO.Out, printable.Text(talkText(records)))
				return err
			}
			return a.PrintJSON(conversationShown{conversation.Describe(records), conversation.WithoutReasoning(records)})
		},
	}
}

// talkText formats a conversation for people.
func talkText(records []conversation.Record) string {
	var b strings.Builder
	for _, r := range records {
		switch r.Type {
		case conversation.UserMessage:
			fmt.Fprintf(&b, "> %s\n\n", strings.ReplaceAll(strings.TrimSpace(r.Text), "\n", "\n> "))
			for _, f := range r.Files {
				fmt.Fprintf(&b, "  with %s (%s)\n", f.Name, humanize.Bytes(f.Bytes))
			}
		case conversation.AssistantMessage:
			if text := strings.TrimSpace(r.Text); text != "" {
				fmt.Fprintf(&b, "%s\n\n", text)
			}
			for _, c := range r.ToolCalls {
				fmt.Fprintf(&b, "  %s\n", inWords(c.Function.Name, json.RawMessage(c.Function.Arguments)))
			}
		case conversation.ToolResult:
			what := humanize.Bytes(int64(r.Bytes))
			if r.Failed {
				what = "failed: " + clipped(failureIn(r.Content))
			}
			fmt.Fprintf(&b, "    %s: %s\n", r.Tool, what)
		case conversation.Notice, conversation.Summary:
			fmt.Fprintf(&b, "  [%s]\n", clipped(r.Text))
		case conversation.Untraced:
			b.WriteString("  [the answer above was withdrawn: figures of it were in no result]\n\n")
		case conversation.TurnEnd:
			if r.Text != "" {
				fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(r.Text))
			}
			if r.Reason != "end" {
				fmt.Fprintf(&b, "[the turn ended: %s]\n\n", r.Reason)
			}
		}
	}
	return b.String()
}

func newConversationsExportCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "export <id>", Short: "Print all records of a conversation, one line of JSON each",
		Example: "  da conversations export 1f2e3d4c5b6a7988 > talk.jsonl", Args: usage.Exactly("id"),
		ValidArgsFunction: completeConversation(a),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.NoFormat("lines of JSON"); err != nil {
				return err
			}
			records, err := recordsOf(a, args[0])
			if err != nil {
				return err
			}
			for _, r := range conversation.WithoutReasoning(records) {
				line, err := json.Marshal(r)
				if err != nil {
					return fmt.Errorf("write a record: %w", err)
				}
				if _, err := fmt.Fprintf(a.IO.Out, "%s\n", line); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// conversationsDeleted is what da conversations delete --json prints.
type conversationsDeleted struct {
	Deleted []string `json:"deleted"`
}

func newConversationsDeleteCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "delete <id>...", Aliases: []string{"rm"}, Short: "Delete conversations, with changes to files that were not applied",
		Example:           "  da conversations delete 1f2e3d4c5b6a7988",
		ValidArgsFunction: completeConversation(a),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage.Error(fmt.Sprintf("'%s' takes at least one <id>", cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := Conversations(a)
			if err != nil {
				return err
			}
			list := output.List{Columns: []string{"deleted"}}
			for _, id := range args {
				if err := store.Delete(id); err != nil {
					return noConversation(err)
				}
				if err := dropDraft(cmd.Context(), a, id); err != nil {
					return err
				}
				list.Rows = append(list.Rows, []any{id})
			}
			return a.Show(a.OutputFormat(), conversationsDeleted{args}, list)
		},
	}
}

// completeConversation suggests ids of conversations.
func completeConversation(a *app.App) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var ids []cobra.Completion
		if store, err := Conversations(a); err == nil {
			all, _ := store.List() // without a list, there are no suggestions
			for _, c := range all {
				ids = append(ids, cobra.CompletionWithDesc(c.ID, clipped(c.Question)))
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}
