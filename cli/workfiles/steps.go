package workfiles

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/steps"
)

// families describe the groups of commands for steps.
var families = []struct{ family, name, short string }{
	{steps.Spreadsheet, "sheet", "Read and change workbooks step by step"},
	{steps.PDF, "pdf", "Read PDF files, and make others of them"},
	{steps.Image, "image", "Resize, crop, convert and combine pictures"},
}

// newStepGroups returns a group of commands for each family of steps.
func newStepGroups(s *workspaceApp) (groups []*cobra.Command) {
	all := steps.All()
	for _, f := range families {
		group := &cobra.Command{
			Use: f.name + " <command>", Short: f.short, Args: cobra.ArbitraryArgs, RunE: usage.Group,
			Long: f.short + `. Values of flags that are lists or
objects are written as JSON. 'da files edit' does several of these steps in one.`,
		}
		for _, step := range all {
			if step.Family == f.family {
				group.AddCommand(newStepCmd(s, f.name, step))
			}
		}
		groups = append(groups, group)
	}
	return groups
}

// stepOutputs adds the answers of the commands for steps.
func stepOutputs(all output.Printed) output.Printed {
	for _, f := range families {
		for _, step := range steps.All() {
			if step.Family == f.family {
				all["da files "+f.name+" "+dashed(step.Name)] = []output.Form{{Value: reflect.New(step.Out).Elem().Interface()}}
			}
		}
	}
	return all
}

func dashed(name string) string { return strings.ReplaceAll(name, "_", "-") }

// newStepCmd makes a command for a step: the file is its argument, everything
// else a flag.
func newStepCmd(s *workspaceApp, group string, step steps.Step) *cobra.Command {
	cmd := &cobra.Command{
		Use: dashed(step.Name) + " <file>", Short: step.Title, Args: usage.Exactly("file"),
		Long:              strings.TrimSuffix(wrapped(step.About, "", 78), "\n"),
		Example:           "  da files " + group + " " + dashed(step.Name) + " " + stepExample(step.Tool()),
		ValidArgsFunction: s.completeFile(1, (*workspace.Workspace).List),
	}
	in, required := reflect.New(step.In), []string{}
	for _, f := range stepFields(step.In) {
		name, optional := jsonName(f)
		switch {
		case f.Anonymous:
		case name == "file_ids":
			cmd.Use, cmd.Args, cmd.ValidArgsFunction = dashed(step.Name)+" <file>...", atLeastOne, s.completeFile(0, (*workspace.Workspace).List)
		case name != "file_id":
			flag := addFlag(cmd.Flags(), dashed(name), f, in.Elem())
			if !optional {
				flag.Usage += " (required)"
				required = append(required, flag.Name)
			}
		}
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, name := range required {
			if !cmd.Flags().Changed(name) {
				return usage.Error(fmt.Sprintf("'%s' needs --%s: %s", cmd.CommandPath(), name,
					strings.TrimSuffix(cmd.Flags().Lookup(name).Usage, " (required)")))
			}
		}
		if f := in.Elem().FieldByName("Files"); f.IsValid() {
			f.Set(reflect.ValueOf(args))
		} else {
			in.Elem().FieldByName("File").SetString(args[0])
		}
		return s.withWorkspace(func(w *workspace.Workspace) error {
			out, err := step.Run(cmd.Context(), w, in.Interface())
			if err != nil {
				return err
			}
			return s.showStep(out)
		})
	}
	return cmd
}

// stepFields returns the arguments of a step, with those that its options have.
func stepFields(in reflect.Type) (all []reflect.StructField) {
	for _, f := range reflect.VisibleFields(in) {
		if name, _ := jsonName(f); name != "options" {
			all = append(all, f)
			continue
		}
		for _, option := range reflect.VisibleFields(f.Type) {
			option.Index = append(slices.Clone(f.Index), option.Index...)
			all = append(all, option)
		}
	}
	return all
}

func atLeastOne(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage.Error(fmt.Sprintf("'%s' takes at least one <file>", cmd.CommandPath()))
	}
	return nil
}

// jsonName returns a field's name in JSON, and whether it is optional.
func jsonName(f reflect.StructField) (string, bool) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name, options != ""
}

// addFlag makes a flag for a field of in: directly for strings, numbers and
// booleans, as JSON for all other types.
func addFlag(flags *pflag.FlagSet, name string, f reflect.StructField, in reflect.Value) *pflag.Flag {
	to, about := in.FieldByIndex(f.Index).Addr().Interface(), f.Tag.Get("jsonschema")
	if about == "" {
		about = strings.ReplaceAll(name, "-", " ")
	}
	switch to := to.(type) {
	case *string:
		flags.StringVar(to, name, "", about)
	case *int:
		flags.IntVar(to, name, 0, about)
	case *int64:
		flags.Int64Var(to, name, 0, about)
	case *float64:
		flags.Float64Var(to, name, 0, about)
	case *bool:
		flags.BoolVar(to, name, false, about)
	case *[]string:
		flags.StringSliceVar(to, name, nil, about)
	case *[]int:
		flags.IntSliceVar(to, name, nil, about)
	default:
		flags.Var(&jsonValue{to: to}, name, about)
	}
	return flags.Lookup(name)
}

// jsonValue is a flag whose value is JSON. If the field accepts any value, text
// that is not JSON is taken as a string.
type jsonValue struct {
	to   any
	text string
}

// Set implements pflag.Value.
func (v *jsonValue) Set(text string) error {
	v.text = text
	err := json.Unmarshal([]byte(text), v.to)
	if plain, ok := v.to.(*any); ok && err != nil {
		*plain, err = text, nil
	}
	if err != nil {
		return fmt.Errorf("it is not the JSON that is needed here: %w", err)
	}
	return nil
}

// String implements pflag.Value.
func (v *jsonValue) String() string { return v.text }

// Type implements pflag.Value.
func (v *jsonValue) Type() string { return "json" }
