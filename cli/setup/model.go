package setup

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/metric/modelfile"
	"github.com/agnes-data/da/source/registry"
)

// NewModelCmd returns 'da model'.
func NewModelCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "model <command>",
		Short:   "Say what the tables mean",
		Long:    "A semantic model defines metrics by name, and by what tables are joined.",
		Example: "  da model import ./target",
		Args:    cobra.ArbitraryArgs,
		RunE:    usage.Group,
	}
	dryRun := false
	add := &cobra.Command{
		Use:   "import <path>",
		Short: "Read a semantic model, and name it in the instance file",
		Long: `Import reads semantic_manifest.json as 'dbt parse' writes it, or its folder; a
project of dbt, its folder of models or one file of YAML there; or a file in the
core specification of Apache Ossie, YAML or JSON, or a folder of such files. It
lists the metrics, says what is not understood and which tables the instance
lacks, and writes the path into the instance file (--instance, DA_INSTANCE,
./instance.yaml or ~/.agnes/instance.yaml) as 'model'. The files are not copied:
they are read again when they have changed.`,
		Example: "  da model import ./target\n  da model import people.yaml --dry-run",
		Args:    usage.Exactly("path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runModelImport(cmd.Context(), a, args[0], dryRun)
		},
	}
	add.Flags().BoolVar(&dryRun, "dry-run", false, "read it and say what is in it, but write nothing")
	cmd.AddCommand(add)
	return cmd
}

// modelImported is what da model import --json prints.
type modelImported struct {
	File    string       `json:"file" jsonschema:"the instance file"`
	Model   string       `json:"model"`
	Metrics []api.Metric `json:"metrics"`
	Unclear []string     `json:"unclear" jsonschema:"what is not understood, by name and place"`
	Lacks   []string     `json:"lacks" jsonschema:"tables of the model that the instance does not have"`
	Written bool         `json:"written"`
}

func runModelImport(ctx context.Context, a *app.App, path string, dryRun bool) error {
	format, model := a.OutputFormat(), a.Absolute(path)
	m, err := modelfile.Read(model)
	if err != nil {
		return err
	}
	file, data, err := readInstance(a)
	if err != nil {
		return err
	}
	inst, err := config.ParseInstance(file, data, registry.Types())
	if err != nil {
		return err
	}
	out := modelImported{File: file, Model: model, Metrics: []api.Metric{}, Unclear: append([]string{}, m.Unclear...), Lacks: []string{}}
	if rel, err := filepath.Rel(filepath.Dir(file), model); err == nil && !strings.HasPrefix(rel, "..") {
		out.Model = "./" + filepath.ToSlash(rel)
	}
	list := output.List{Columns: []string{"metric", "kind", "description"}}
	for _, v := range m.Metrics {
		if v.Unclear != "" {
			out.Unclear = append(out.Unclear, v.Unclear)
		}
		if !v.Inner {
			out.Metrics = append(out.Metrics, v)
			list.Rows = append(list.Rows, []any{v.Name, string(v.Kind), v.Description})
		}
	}
	for _, t := range m.Tables {
		if !slices.ContainsFunc(inst.Tables, func(have config.Table) bool { return have.ID == t.TableID || have.Relation == t.Relation }) {
			out.Lacks = append(out.Lacks, t.Relation)
		}
	}
	if out.Written = !dryRun; out.Written {
		if err := changeInstance(ctx, file, func(data []byte) ([]byte, error) {
			return config.SetModel(file, data, out.Model, registry.Types())
		}); err != nil {
			return err
		}
	}
	if err := a.ShowItems(format, out, list, out.Metrics); err != nil || format == output.JSON {
		return err
	}
	notes := out.Unclear
	for _, table := range out.Lacks {
		notes = append(notes, "the instance has no table for "+table)
	}
	if out.Written {
		notes = append(notes, "wrote 'model' into "+file+"; next: da metric list")
	}
	a.Note(strings.Join(notes, "\n"))
	return nil
}
