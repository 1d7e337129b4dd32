package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/words/reason"
	"github.com/agnes-data/da/internal/words/shellwords"
	"github.com/agnes-data/da/source/registry"
)

type sourceOptions struct {
	address         registry.Address
	dryRun, untried bool
}

// NewSourceCmd returns 'da source'.
func NewSourceCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "source <command>",
		Short:   "Add sources to an instance file",
		Long:    "Sources are the places that an instance file takes its tables from.",
		Example: "  da source add spark://spark.example.com:15002 --name lakehouse",
		Args:    cobra.ArbitraryArgs,
		RunE:    usage.Group,
	}
	var o sourceOptions
	add := &cobra.Command{
		Use:   "add <address>",
		Short: "Try a source, and write it into the instance file",
		Long: `Add reads an address, tries the source that is there, and adds one line for it
to the instance file (--instance, DA_INSTANCE, ./instance.yaml or
~/.agnes/instance.yaml; a new ./instance.yaml if there is none). All other lines
stay as they are. Nothing is written if the source cannot be reached, unless
--untried says so. Addresses are:

  spark://host:15002                    Spark Connect
  databricks://host?warehouse_id=ID     a SQL warehouse of Databricks
  databricks://host?cluster_id=ID       a cluster of it, by Spark Connect
  postgres://user@host/db               also mariadb://, mysql://
  clickhouse://user@host:8443/db        without TLS: clickhouse+http://
  trino://user@host:443/catalog/schema  without TLS: trino+http://
  iceberg+https://host/                 a REST catalog; --root has its files
  iceberg+sqlite://catalog.db           in SQLite; also iceberg+postgres://
  grpc+tls://host:31337                 Arrow Flight SQL; without TLS: grpc://
  bigquery://project/dataset
  snowflake://user@account/db?warehouse=W&private_key_file=FILE
  s3://bucket/prefix?endpoint=URL       also gs://; --type delta or iceberg
  a folder, or a file of DuckDB or SQLite

Secrets are never written: of an address with a password the file gets the name
of a variable, which whoever runs da must set. env:NAME takes the address from
such a variable.`,
		Example: `  da source add spark://spark.example.com:15002 --name lakehouse
  da source add env:CRM_DSN --name crm
  da source add ./data --name extracts --dry-run`,
		Args: usage.Exactly("address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.address.Text = args[0]
			return runSourceAdd(cmd.Context(), a, o)
		},
	}
	f := add.Flags()
	f.StringVar(&o.address.Name, "name", "", "the `name` of the source; default: its type")
	f.StringVar(&o.address.Type, "type", "", "what a folder or bucket holds: lake, delta or iceberg; default: it is looked at, or lake")
	f.StringVar(&o.address.Root, "root", "", "the `folder` or bucket with the files of a catalog")
	f.StringVar(&o.address.TokenEnv, "token-env", "", "the `variable` that has the source's token")
	f.BoolVar(&o.dryRun, "dry-run", false, "try it and show the line, but write nothing")
	f.BoolVar(&o.untried, "untried", false, "write it without trying it")
	cmd.AddCommand(add)
	return cmd
}

// sourceAdded is what da source add --json prints.
type sourceAdded struct {
	File    string         `json:"file"`
	Name    string         `json:"name"`
	Type    api.SourceType `json:"type"`
	Line    string         `json:"line" jsonschema:"as it stands in the file"`
	Written bool           `json:"written"`
	Tried   bool           `json:"tried" jsonschema:"it can be reached"`
	Missing string         `json:"missing,omitempty" jsonschema:"the variable that must be set"`

	table string // that whose own folder was given
}

func runSourceAdd(ctx context.Context, a *app.App, o sourceOptions) error {
	format := a.OutputFormat()
	if t := o.address.Type; t != "" && !slices.Contains([]string{"lake", "delta", "iceberg"}, t) {
		return usage.Error(fmt.Sprintf("--type '%s' is not lake, delta or iceberg", api.Clip(t, 40)))
	}
	file, data, err := readInstance(a)
	if err != nil {
		return err
	}
	o.address.Dir = filepath.Dir(file)
	keys, err := addressed(ctx, a, &o)
	if err != nil {
		return err
	}
	name := o.address.Name
	if err := api.CheckName("source name", name); err != nil {
		return usage.Error(err.Error() + ": 1 to 64 lower-case ASCII letters, digits and underscores")
	}
	_, inst, err := config.AddSource(file, data, name, keys.Keys, registry.Types())
	if err != nil {
		return err
	}
	s := inst.Sources[len(inst.Sources)-1]
	added := sourceAdded{File: file, Name: name, Type: s.Type, Line: config.SourceLine(name, keys.Keys), table: keys.Table}
	if keys.Env != "" && a.Getenv(keys.Env) != keys.Secret {
		added.Missing = keys.Env
	}
	if !o.untried {
		if err := registry.Reach(ctx, inst, s, keys.Secret); err != nil {
			return unreached(err, name)
		}
		added.Tried = true
	}
	if !o.dryRun {
		err := changeInstance(ctx, file, func(data []byte) ([]byte, error) {
			text, _, err := config.AddSource(file, data, name, keys.Keys, registry.Types())
			return text, err
		})
		if err != nil {
			return err
		}
		added.Written = true
	}
	list := output.List{Columns: []string{"source", "type", "line"}, Rows: [][]any{{added.Name, added.Type, added.Line}}}
	if err := a.ShowItems(format, added, list, added); err != nil || format == output.JSON {
		return err
	}
	a.Note(strings.Join(added.next(inst, keys.Shown), "\n"))
	return nil
}

// addressed reads the address, which the environment may hold.
func addressed(ctx context.Context, a *app.App, o *sourceOptions) (keys registry.Addressed, err error) {
	env, named := strings.CutPrefix(o.address.Text, "env:")
	if named {
		if o.address.Text = a.Getenv(env); o.address.Text == "" {
			return keys, &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("the environment has no %s, which should hold the address of the source", api.Clip(env, 60)), Hint: "Set it first: export " + api.Clip(env, 60) + "=…"}
		}
	}
	if file := a.Absolute(o.address.Text); !strings.Contains(o.address.Text, "://") {
		if _, err := os.Stat(file); err == nil {
			o.address.Text = file
		}
	}
	given := o.address.Name
	if given == "" {
		o.address.Name = "source" // until its type is known
	}
	if keys, err = o.address.Keys(ctx); err != nil {
		return keys, err
	}
	if given == "" {
		o.address.Name = keys.Keys[0].Value
		if keys, err = o.address.Keys(ctx); err != nil {
			return keys, err
		}
	}
	if named && keys.Env != "" && keys.Secret == o.address.Text { // it is there as the source wants it
		for i := range keys.Keys {
			if keys.Keys[i].Value == keys.Env {
				keys.Keys[i].Value = env
			}
		}
		keys.Env = env
	}
	return keys, nil
}

// readInstance finds and reads the instance file; data is empty without one.
func readInstance(a *app.App) (file string, data []byte, err error) {
	file, err = a.Places().Instance(a.InstancePath)
	if errors.Is(err, config.ErrNoInstance) {
		file, err = a.Absolute("instance.yaml"), nil
	}
	if err != nil {
		return "", nil, err
	}
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target // it is written through a link
	}
	data, err = readText(file)
	return file, data, err
}

func readText(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &api.Error{Code: api.CodeConfig, Message: "the instance file cannot be read: " + err.Error(), Err: err}
	}
	return data, nil
}

// changeInstance changes the instance file as it is now.
func changeInstance(ctx context.Context, file string, change func([]byte) ([]byte, error)) error {
	return config.ChangeFile(ctx, file, "the instance file", 0o644, change)
}

// unreached is the error for a source that cannot be reached: the user is its operator,
// and is told the cause.
func unreached(err error, name string) error {
	var e *api.Error
	if !errors.As(err, &e) {
		return err
	}
	with := *e
	with.Message = fmt.Sprintf("the source %s cannot be reached, and was not added: %s", name, e.Message)
	if e.Err != nil {
		with.Message += ": " + reason.Line(e.Err.Error(), app.MaxCause)
	}
	cure := cmp.Or(strings.Replace(e.Hint, api.InServerLog, "", 1), "See whether it runs, and whether its address is right.")
	with.Hint = strings.TrimSpace(cure + " To add it all the same: --untried.")
	return &with
}

// next says what is left to do.
func (s sourceAdded) next(inst *config.Instance, shown string) []string {
	var lines []string
	did := "wrote " + s.File
	if !s.Written {
		did = "wrote nothing; this line would be below 'sources' in " + s.File
	}
	if s.Tried {
		did += "; the source can be reached"
	}
	lines = append(lines, did)
	if s.Missing != "" {
		lines = append(lines, fmt.Sprintf("for each process that reads the file: export %s=%s", s.Missing, shellwords.Quote(shown)))
	}
	key, example := "relation", "sales.orders"
	if s.Type == api.SourceSQLite { // which has no schemas
		example = "orders"
	}
	for _, t := range registry.Types() {
		if t.Type == s.Type && t.TableKey == "path" {
			key, example = "path", "sales/orders"
			if strings.Contains(s.Line, "uri: ") || strings.Contains(s.Line, "catalog_") {
				example = "sales.orders"
			}
		}
	}
	example = cmp.Or(s.table, example)
	return append(lines, fmt.Sprintf("next: name tables below 'tables', as in - { id: orders, source: %s, %s: %s }; then da catalog --instance %s", s.Name, key, example, shellwords.Quote(inst.File)))
}
