package setup

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/skills"
)

// NewSkillsCmd returns 'da skills'.
func NewSkillsCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "skills <command>",
		Short: "Teach coding agents to use da",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && a.ForModel() { // it wants the skill, not a list of commands
				return showSkill(a, skills.Name, 0)
			}
			return usage.Group(cmd, args)
		},
	}
	cmd.AddCommand(newSkillsInstallCmd(a), newSkillsShowCmd(a), newSkillsListCmd(a))
	return cmd
}

type skillsOptions struct {
	dir               string
	dryRun, uninstall bool
}

func newSkillsInstallCmd(a *app.App) *cobra.Command {
	var o skillsOptions
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Put the skills where coding agents look",
		Long: `Install writes the skills da, for data of the catalog, and da-tables, for local
files, to .agents/skills and .claude/skills below a folder, and a short section
between markers into AGENTS.md and CLAUDE.md if they exist. Running it again
brings all of it up to date; what is not da's stays untouched.`,
		Example: `  da skills install --dry-run
  da skills install
  da skills install --dir ~
  da skills install --uninstall`,
		Args: usage.Exactly(),
		RunE: func(*cobra.Command, []string) error { return runSkillsInstall(a, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "dir", ".", "the project or home `folder`")
	f.BoolVar(&o.dryRun, "dry-run", false, "only show what would change")
	f.BoolVar(&o.uninstall, "uninstall", false, "take away what was installed")
	return cmd
}

// skillsResult is what da skills install --json prints.
type skillsResult struct {
	Changes []skills.Change `json:"changes"`
	DryRun  bool            `json:"dry_run"`
}

func runSkillsInstall(a *app.App, o skillsOptions) error {
	plan := skills.Install
	if o.uninstall {
		plan = skills.Uninstall
	}
	changes, err := plan(a.Absolute(o.dir))
	if err != nil {
		return err
	}
	if !o.dryRun {
		if err := skills.Apply(changes); err != nil {
			return err
		}
	}
	list := output.List{Columns: []string{"action", "file"}}
	for _, c := range changes {
		list.Rows = append(list.Rows, []any{c.Action, c.Path})
	}
	if changes == nil {
		changes = []skills.Change{}
	}
	return a.ShowItems(a.OutputFormat(), skillsResult{Changes: changes, DryRun: o.dryRun}, list, changes)
}

func newSkillsShowCmd(a *app.App) *cobra.Command {
	part := 0
	cmd := &cobra.Command{
		Use:       "show [skill]",
		Short:     "Print a skill",
		Example:   "  da skills show\n  da skills show da-tables",
		Args:      usage.AtMostOne("skill", "Skills are "+strings.Join(skills.Names, " and ")+"."),
		ValidArgs: skills.Names,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.NoFormat("the text of a skill"); err != nil {
				return err
			}
			name := skills.Name
			if len(args) == 1 {
				name = args[0]
			}
			if skills.Text(name) == "" {
				e := usage.Error("there is no skill '" + api.Clip(name, 60) + "'")
				e.Hint = "Skills are " + strings.Join(skills.Names, " and ") + "."
				return e
			}
			return showSkill(a, name, part)
		},
	}
	cmd.Flags().IntVar(&part, "part", 0, "only this `part` of some 4 kB (default all; the first where an agent runs da)")
	return cmd
}

// skillList is what da skills list --json prints.
type skillList struct {
	Skills []skillItem `json:"skills"`
}

type skillItem struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

func newSkillsListCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the skills and what each is for",
		Example: "  da skills list",
		Args:    usage.Exactly(),
		RunE:    func(*cobra.Command, []string) error { return runSkillsList(a) },
	}
}

func runSkillsList(a *app.App) error {
	var all skillList
	list := output.List{Columns: []string{"name", "about"}}
	for _, name := range skills.Names {
		about := skills.About(name)
		all.Skills = append(all.Skills, skillItem{name, about})
		list.Rows = append(list.Rows, []any{name, about})
	}
	return a.ShowItems(a.OutputFormat(), all, list, all.Skills)
}

// showSkill prints a skill, or a part of it; 0 is all of it for people, and the first part
// for models.
func showSkill(a *app.App, name string, part int) error {
	text := skills.Text(name)
	if part == 0 && app.AgentReads(a.Getenv) {
		part = 1
	}
	if parts := skills.Parts(name); part < 0 || part > len(parts) {
		return usage.Error(fmt.Sprintf("--part is %d; the skill has parts 1 to %d", part, len(parts)))
	} else if part > 0 {
		if text = parts[part-1] + "\n"; part < len(parts) {
			text += fmt.Sprintf("\nThis is part %d of %d: da skills show %s --part %d goes on.\n", part, len(parts), name, part+1)
		}
	}
	_, err := a.IO.Out.Write([]byte(text))
	return err
}
