package query

import (
	"context"
	"encoding/json"
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
	texts []string
	file  string
	base  params.Values // take effect where no others are given
}

// given reports whether the user gave a value.
func (p *ParamFlags) given() bool { return len(p.texts) > 0 || p.file != "" }

// startFrom sets the values that hold unless others are given.
func (p *ParamFlags) startFrom(kept map[string]json.RawMessage) error {
	p.base = params.Values{}
	if kept == nil {
		return nil
	}
	object, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return p.base.Read(object)
}

func (p *ParamFlags) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&p.texts, "param", nil, "value of $name: `name=text`, or name:=JSON for a number, true, null or a list; may be given again")
	f.StringVar(&p.file, "params", "", "read values from this JSON `file`; --param overrides them")
}

// Filler reads the values.
func (p *ParamFlags) Filler(a *app.App) (*params.Filler, error) {
	values, err := p.values(a)
	if err != nil {
		return nil, err
	}
	return params.NewFiller(values), nil
}

func (p *ParamFlags) values(a *app.App) (params.Values, error) {
	own, all := params.Values{}, params.Values{}
	for _, given := range p.texts {
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
	values := params.Values{}
	for _, more := range []params.Values{p.base, all, own} {
		maps.Copy(values, more)
	}
	return values, nil
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
