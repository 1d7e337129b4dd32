// Package workfiles has the commands below 'da files': the workspace from the
// command line. It prints what the workspace returns, and decides nothing about
// files itself.
package workfiles

import (
	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
	"github.com/agnes-data/da/workspace/text"
)

// Cmd is 'da files' with its subcommands, which may lack those for steps.
type Cmd struct {
	*cobra.Command
	space *workspaceApp
}

// AddSteps adds the commands for the steps of editing.
func (c Cmd) AddSteps() { c.AddCommand(newStepGroups(c.space)...) }

// New returns 'da files' with its subcommands.
func New(a *app.App) Cmd {
	s := &workspaceApp{App: a}
	cmd := &cobra.Command{
		Use:   "files <command>",
		Short: "Keep files: put, list, get, change, go back to older versions",
		Long: `Files are kept in a workspace: spreadsheets, documents, text, any content, under
names such as reports/may.xlsx. Each change makes a version, and a deleted file
can be restored. With --draft NAME, changes are collected beside the workspace
until 'da files draft apply NAME'.`,
		Args: cobra.ArbitraryArgs,
		RunE: usage.Group,
	}
	cmd.PersistentFlags().StringVar(&s.draft, "draft", "", "see and make changes in the draft of this `name`")
	if err := cmd.RegisterFlagCompletionFunc("draft", s.completeDraft); err != nil {
		panic(err) // the flag was declared above
	}
	cmd.AddCommand(newPutCmd(s), newListCmd(s), newInfoCmd(s), newGetCmd(s), newRenderCmd(s), newCopyCmd(s), newRenameCmd(s), newDeleteCmd(s),
		newRestoreCmd(s), newVersionsCmd(s), newDraftCmd(s))
	cmd.AddCommand(newDownloadCmd(s), newReadCmd(s), newWriteCmd(s), newReplaceCmd(s), newInsertCmd(s), newSearchCmd(s), newEditCmd(s))
	cmd.AddCommand(newDiffCmd(s))
	cmd.AddCommand(newAddCmd(s), newImportCmd(s), newOpenCmd(s))
	return Cmd{cmd, s}
}

// Outputs says for each command what it prints with --json.
func Outputs() output.Printed {
	return stepOutputs(output.Printed{
		"da files add":      {{Value: content.Added{}}},
		"da files import":   {{Value: keep.ImportResult{}}},
		"da files open":     {{Value: openedFile{}}},
		"da files put":      {{Value: fileList{}}},
		"da files download": {{Value: workspace.File{}}},
		"da files list":     {{Value: fileList{}}},
		"da files info":     {{Value: content.Info{}}},
		"da files get":      {{Value: gotten{}}},
		"da files render":   {{Value: content.Rendered{}}},
		"da files copy":     {{Value: workspace.File{}}},
		"da files rename":   {{Value: workspace.File{}}},
		"da files delete":   {{Value: fileList{}}},
		"da files restore":  {{Value: workspace.File{}}},
		"da files versions": {{Value: versionList{}}},

		"da files read":    {{Value: content.Reading{}}},
		"da files write":   {{Value: workspace.File{}}},
		"da files replace": {{Value: content.EditedText{}}},
		"da files insert":  {{Value: content.EditedText{}}},
		"da files search":  {{Value: text.Found{}}},
		"da files diff":    {{Value: content.Comparison{}}},
		"da files edit":    {{Value: content.Operated{}}},

		"da files draft list":    {{Value: draftList{}}},
		"da files draft diff":    {{Value: diffList{}}},
		"da files draft apply":   {{Value: changeList{}}},
		"da files draft discard": {{Value: changeList{}}},
	})
}
