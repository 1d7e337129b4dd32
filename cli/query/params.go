package query

import (
	"context"
	"io"
	"maps"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/statement/params"
)

// maxParamsBytes is the maximum size of a file of parameters.
const maxParamsBytes = 1 << 20

// ParamFlags are the flags that set the $name parameters of a statement or
// predicate.
type ParamFlags struct {
	given []string
	file  string
}

func (p *ParamFlags) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&p.given, "param", nil, "value of $name: `name=text`, or name:=JSON for a number, true, null or a list; may be given again")
	f.StringVar(&p.file, "params", "", "read values from this JSON `file`; --param overrides them")
}

// Filler reads the values.
func (p *ParamFlags) Filler(a *app.App) (*params.Filler, error) {
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
	return params.NewFiller(all), nil
}

func readParams(path string) ([]byte, error) {
	f, err := kernelfs.Open(path)
	var text []byte
	if err == nil {
		defer f.Close()
		text, err = io.ReadAll(io.LimitReader(f, maxParamsBytes+1))
	}
	switch {
	case err != nil:
		return nil, &api.Error{Code: api.CodeReadFailed, Message: "cannot read the parameters: " + err.Error(), Err: err,
			Hint: "Check the path of --params."}
	case len(text) > maxParamsBytes:
		return nil, &api.Error{Code: api.CodeUsage, Message: "the file of --params is longer than 1 MiB"}
	}
	return text, nil
}

// FillWhere fills in the parameters of a predicate on a table.
func FillWhere(ctx context.Context, a *app.App, values *params.Filler, tableID, text string) (*params.Filled, error) {
	return fetch.FillWhere(ctx, func() (api.Catalog, error) { return a.Connect() }, values, tableID, text)
}
