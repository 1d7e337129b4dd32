package ask

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
)

// NewReceiptCmd returns 'da receipt'.
func NewReceiptCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "receipt <command>",
		Short: "Show and verify what an answer of da ask rests on",
		Long: `A receipt says what an answer rests on: the statements that ran, the snapshots
that they read, with the hash of their content, the version of their table and
the rights of that moment, and for each number of the answer in which results it
occurs. Its id is in the answer (da ask -o json): that of the conversation, a
dash, and the number of the turn.`,
		Example: "  da receipt show 1f2e3d4c5b6a7988-1\n  da receipt verify 1f2e3d4c5b6a7988-1",
		Args:    cobra.ArbitraryArgs,
		RunE:    usage.Group,
	}
	cmd.AddCommand(newReceiptShowCmd(a), newReceiptVerifyCmd(a), newReceiptReplayCmd(a))
	return cmd
}

func newReceiptShowCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "show <id>", Short: "Show the statements, snapshots and figures of an answer", Example: "  da receipt show 1f2e3d4c5b6a7988-1",
		Args: usage.Exactly("id"),
		RunE: func(_ *cobra.Command, args []string) error {
			r, _, err := openReceipt(a, args[0])
			if err != nil {
				return err
			}
			if a.OutputFormat() == output.Table {
				_, err := fmt.Fprint(a.IO.Out, printable.Text(receiptText(r)))
				return err
			}
			return a.PrintJSON(r)
		},
	}
}

// receiptText formats a receipt for people.
func receiptText(r receipt.Receipt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "> %s\n\n%s\n", strings.TrimSpace(r.Question), strings.TrimSpace(r.Answer))
	for _, res := range r.Results {
		fmt.Fprintf(&b, "\n%s: %s %s\n  %d rows, sha256 %.16s…\n", res.Call, res.Tool, res.Arguments, res.Rows, res.SHA256)
		for _, c := range res.Caveats {
			fmt.Fprintf(&b, "  %s: %s\n", c.Kind, c.Text)
		}
		if s := res.Saved; s != nil {
			fmt.Fprintf(&b, "  saved question %s: %s, %s\n", s.Name, s.Question, s.Standing())
		}
		for _, in := range res.Inputs {
			if in.File != "" {
				fmt.Fprintf(&b, "  file %s: content %.16s…, version %s, of %s\n", in.File, in.ContentHash, in.Version,
					in.AsOf.Format("2006-01-02 15:04:05Z07:00"))
				continue
			}
			var rows int64
			if in.Rows != nil {
				rows = *in.Rows
			}
			named, table := "snapshot "+in.Snapshot, in.TableID
			if in.Snapshot == "" {
				named, table = "part of "+in.TableID, ""
			}
			fmt.Fprintf(&b, "  %s: %d rows, content %s, as of %s", named, rows, in.ContentHash, in.AsOf.Format("2006-01-02 15:04:05Z07:00"))
			for _, part := range []struct{ name, value string }{{"table", table}, {"where", in.Where}, {"version", in.Version},
				{"rights", in.Rights}, {"server", in.Server}} {
				if part.value != "" {
					fmt.Fprintf(&b, ", %s %s", part.name, part.value)
				}
			}
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(&b, "\n%s tokens", humanize.Grouped(r.Tokens))
	if r.CostNano > 0 {
		b.WriteString(", cost " + agent.Money(r.CostNano).String())
	}
	b.WriteString("\n")
	for i, f := range r.Figures {
		if i == 0 {
			b.WriteString("\nFigures:\n")
		}
		fmt.Fprintf(&b, "  %s  %s\n", f.Text, placeOf(f))
	}
	return b.String()
}

// placeOf says where a figure stands.
func placeOf(f receipt.Figure) string {
	switch {
	case len(f.Calls) > 0:
		return "in " + strings.Join(f.Calls, ", ")
	case f.Asked == "question":
		return "in no result, but in the question"
	case f.Asked == "call":
		return "in no result, but in what a tool was asked"
	case f.WorkedOut != "":
		return "in no result, but worked out: " + f.WorkedOut
	}
	return "found in no result"
}

func newReceiptVerifyCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "verify <id or file>", Short: "Run the local statements of an answer again and compare", Args: usage.Exactly("id or file"),
		Long: `Verify runs the statements of a receipt again that read snapshots and files of
this machine, or what query --fetch has kept here, and compares the results. It
ends with exit code 2 if one has drifted or cannot be run, and with 3 if none
could be checked. Nothing is read at a source: that may cost.`,
		Example: "  da receipt verify 1f2e3d4c5b6a7988-1\n  da receipt verify bundle/receipt.json",
		RunE:    func(cmd *cobra.Command, args []string) error { return runReceiptVerify(cmd.Context(), a, args[0]) },
	}
}

func runReceiptVerify(ctx context.Context, a *app.App, ref string) error {
	if a.ServesCalls {
		return serveAgentCalls(ctx, a, true)
	}
	r, files, err := openReceipt(a, ref)
	if err != nil {
		return err
	}
	out := verified{ID: r.ID, Same: true, Results: []verifiedResult{}}
	again, err := openReplay(ctx, a, files, !isFile(ref))
	if err != nil {
		return err
	}
	defer again.close()
	list := output.List{Columns: []string{"call", "status", "why"}}
	for _, res := range r.Results {
		v := verifiedResult{Call: res.Call, Status: notChecked, Why: "it does not read this machine alone"}
		if res.Local {
			v = again.verify(ctx, res)
		}
		if v.Status != notChecked {
			out.Same = out.Same && v.Status == "same"
			out.Checked++
		}
		out.Results = append(out.Results, v)
		list.Rows = append(list.Rows, []any{v.Call, v.Status, v.Why})
	}
	if err := a.Show(a.OutputFormat(), out, list); err != nil {
		return err
	}
	a.Note(fmt.Sprintf("%d of %s checked", out.Checked, humanize.Plural(int64(len(r.Results)), "result", "results")))
	switch {
	case out.Checked == 0:
		return &api.Error{Code: api.CodeBudget, Kind: api.KindNotChecked, Message: "no result could be checked",
			Details: map[string]any{"receipt": r.ID},
			Hint:    "What ran at a source is not run again, as it may cost: da receipt show " + r.ID + " has the statements."}
	case !out.Same:
		return &api.Error{Code: api.CodeSchemaDrift, Kind: api.KindDrifted, Message: "a result is not what it was",
			Details: map[string]any{"receipt": r.ID}}
	}
	return nil
}

// maxReceiptBytes limits a receipt in a file.
const maxReceiptBytes = 64 << 20
