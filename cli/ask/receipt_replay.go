package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/words/shellwords"
	"github.com/agnes-data/da/workspace"
)

// Replayed is what da receipt replay --json prints.
type Replayed struct {
	ID     string   `json:"id"`
	Folder string   `json:"folder"`
	Files  []string `json:"files"`
}

func newReceiptReplayCmd(a *app.App) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "replay <id>", Short: "Write a bundle with which others can verify an answer", Args: usage.Exactly("id"),
		Long: `Replay writes a folder with the receipt, its statements, the snapshots and files
that they read, and a script, verify.sh, that runs the statements again with da
alone and fails if a result has drifted. The snapshots are copies: the folder
holds their rows.`,
		Example: "  da receipt replay 1f2e3d4c5b6a7988-1 --out bundle",
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usage.Error("--out is missing: the folder to write")
			}
			return runReceiptReplay(cmd.Context(), a, args[0], a.Absolute(out))
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "`folder` to write; it must not be there")
	return cmd
}

func runReceiptReplay(ctx context.Context, a *app.App, ref, dir string) error {
	r, files, err := openReceipt(a, ref)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(dir); err == nil {
		return &api.Error{Code: api.CodeTargetExists, Message: "'" + dir + "' is there already", Hint: "Name a folder that is not there."}
	}
	b := bundle{app: a, dir: dir, made: []string{}}
	if err := b.write(ctx, r, files); err != nil {
		return atomicfile.Explain("write the bundle", err)
	}
	list := output.List{Columns: []string{"file"}}
	for _, f := range b.made {
		list.Rows = append(list.Rows, []any{f})
	}
	return a.Show(a.OutputFormat(), Replayed{r.ID, dir, b.made}, list)
}

// bundle is a folder that is being written.
type bundle struct {
	app  *app.App
	dir  string
	made []string
}

func (b *bundle) file(name string, mode os.FileMode, text []byte) error {
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // it is for others
		return err
	}
	b.made = append(b.made, name)
	return atomicfile.WriteFile(path, text, mode)
}

func (b *bundle) copy(ctx context.Context, from, name string) error {
	to := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // it is for others
		return err
	}
	b.made = append(b.made, name)
	return atomicfile.Copy(ctx, from, to)
}

func (b *bundle) write(ctx context.Context, r receipt.Receipt, files string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := b.file("receipt.json", 0o644, append(text, '\n')); err != nil {
		return err
	}
	var imports strings.Builder
	done := map[string]bool{}
	for i, res := range r.Results {
		var in struct{ SQL, Query string }
		_ = json.Unmarshal(res.Arguments, &in) // tools without a statement have no such field
		if sql := in.SQL + in.Query; sql != "" {
			if err := b.file(fmt.Sprintf("statements/%02d.sql", i+1), 0o644, []byte(sql+"\n")); err != nil {
				return err
			}
		}
		for _, input := range res.Inputs {
			if input.Snapshot == "" || done[input.Snapshot] {
				continue
			}
			done[input.Snapshot] = true
			if err := b.snapshot(ctx, input, &imports); err != nil {
				return err
			}
		}
		if err := b.files(ctx, res, files, done); err != nil {
			return err
		}
	}
	return b.file("verify.sh", 0o755, []byte(fmt.Sprintf(verifyScript, imports.String())))
}

// verifyScript runs a receipt's statements in a separate home.
const verifyScript = `#!/bin/sh
# Runs the statements of the receipt again, and fails if a result has drifted.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
DA_HOME=$(mktemp -d)
export DA_HOME
trap 'rm -rf "$DA_HOME"' EXIT
%sda receipt verify "$here/receipt.json"
`

// snapshot copies a snapshot if it is still the one that the statement read.
func (b *bundle) snapshot(ctx context.Context, in conversation.Input, imports *strings.Builder) error {
	work, err := b.app.Analyst()
	if err != nil {
		return err
	}
	m, err := work.Store.Get(in.Snapshot)
	if err != nil {
		return err
	}
	if m.ContentHash != in.ContentHash {
		return &api.Error{Code: api.CodeSchemaDrift, Kind: api.KindDrifted,
			Message: "the snapshot '" + in.Snapshot + "' has other rows than at the time of the answer",
			Hint:    fmt.Sprintf("It was fetched from %s with: %s.", in.TableID, in.Where)}
	}
	name := "snapshots/" + in.Snapshot + ".parquet"
	fmt.Fprintf(imports, "da snapshot import \"$here/\"%s --as %s >/dev/null\n", shellwords.Quote(name), shellwords.Quote(in.Snapshot))
	return b.copy(ctx, filepath.Join(work.Home, "snapshots", m.DataFile), name)
}

// files copies the files that a statement read, from the folder of the conversation.
func (b *bundle) files(ctx context.Context, res receipt.Result, from string, done map[string]bool) error {
	if changed := changedFiles(res, from); changed != "" {
		return &api.Error{Code: api.CodeSchemaDrift, Kind: api.KindDrifted, Message: changed + " since the answer",
			Hint: "da files versions lists what it was before, da files restore brings it back."}
	}
	for _, f := range filesOf(from) {
		if name := "files/" + f.Path; slices.Contains(agent.NamedFiles(res.Arguments), f.Path) && !done[name] {
			done[name] = true
			if err := b.copy(ctx, filepath.Join(from, filepath.FromSlash(f.Path)), name); err != nil {
				return err
			}
		}
	}
	return nil
}

// inputsOf returns the files of the workspace that the arguments of a call name as read.
func inputsOf(ctx context.Context, view *workspace.Workspace) func(tool, arguments string) []conversation.Input {
	return func(tool, arguments string) []conversation.Input {
		if shown, ok := agent.ShownBy(tool, []byte(arguments)); ok && shown.Path == "" {
			return nil
		}
		return agenthttp.FileInputs(ctx, view, arguments)
	}
}
