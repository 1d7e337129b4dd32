package cli

import (
	"context"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/kernelfs"
	"github.com/agnes-data/da/params"
)

// maxParamsBytes bounds a file of parameters.
const maxParamsBytes = 1 << 20

// paramFlags are the flags that give $name in a statement or predicate its value.
type paramFlags struct {
	given []string
	file  string
}

func (p *paramFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&p.given, "param", nil, "value of $name: `name=text`, or name:=JSON for a number, true, null or a list; may be given again")
	f.StringVar(&p.file, "params", "", "read values from this JSON `file`; --param overrides them")
}

// filler puts the values of a call into its texts.
type filler struct {
	values params.Values
	used   map[string]bool
}

// filler reads the values.
func (p *paramFlags) filler(a *app.App) (*filler, error) {
	own, all := params.Values{}, params.Values{}
	for _, given := range p.given {
		if err := own.Set(given); err != nil {
			return nil, err
		}
	}
	if p.file != "" {
		text, err := readParams(a.Absolute(p.file))
		if err != nil {
			return nil, err
		}
		if err := all.Read(text); err != nil {
			return nil, err
		}
	}
	maps.Copy(all, own)
	return &filler{all, map[string]bool{}}, nil
}

func readParams(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		err = kernelfs.Check(f)
	}
	var text []byte
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(f, maxParamsBytes+1))
	}
	switch {
	case err != nil:
		return nil, &api.Error{Code: api.CodeReadFailed, Message: "cannot read the parameters: " + err.Error(), Err: err, Hint: "Check the path of --params."}
	case len(text) > maxParamsBytes:
		return nil, &api.Error{Code: api.CodeUsage, Message: "the file of --params is longer than 1 MiB"}
	}
	return text, nil
}

// fill puts the values into a text of a dialect.
func (f *filler) fill(text, flavor string) (*params.Filled, error) {
	filled, err := params.Fill(text, flavor, f.values)
	if err == nil {
		maps.Copy(f.used, filled.Used)
	}
	return filled, err
}

// fillWhere puts the values into a predicate of a table. Without any that may be
// meant, the table is not looked at.
func (f *filler) fillWhere(ctx context.Context, connect func() (analyst.Remote, error), tableID, text string) (*params.Filled, error) {
	flavor := ""
	if params.Mentions(text) {
		remote, err := connect()
		if err != nil {
			return nil, err
		}
		schema, err := remote.Schema(ctx, tableID)
		if err != nil {
			return nil, err
		}
		flavor = schema.SQLFlavor
	}
	filled, err := f.fill(text, flavor)
	if err != nil {
		return nil, err
	}
	return filled, f.done()
}

// done refuses values that were not used.
func (f *filler) done() error { return params.Unused(f.values, f.used) }

// flavorOf is the dialect of a statement for the source: that of the tables that
// it names, which must be one. Each table that it reads is a word of it, so that
// no other dialect can be meant.
func flavorOf(ctx context.Context, remote api.Catalog, text string) (string, error) {
	list, err := remote.Tables(ctx)
	if err != nil {
		return "", err
	}
	words := map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[word] = true
	}
	var flavors []string
	for _, t := range list.Tables {
		if words[strings.ToLower(t.ID)] && !slices.Contains(flavors, t.SQLFlavor) {
			flavors = append(flavors, t.SQLFlavor)
		}
	}
	if len(flavors) != 1 {
		return "", &api.Error{Code: api.CodeUsage, Kind: "parameter", Message: "the dialect of the statement is not clear, and so not how the values of its parameters are written",
			Hint: "It must name tables of one dialect. Write the values in their places.", Next: []api.Step{api.Do(api.ActionCatalog, "see the tables")}}
	}
	return flavors[0], nil
}
