package worker

import (
	"errors"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// report is a failure on its way between processes.
type report struct {
	Step   *int          `json:",omitempty"` // of a SetupError
	Engine *duckdb.Error `json:",omitempty"`
	Known  *api.Error    `json:",omitempty"`
	Text   string        // of any other error
}

func reportOf(err error) report {
	r := report{Text: err.Error()}
	var setup *SetupError
	if errors.As(err, &setup) {
		r.Step = &setup.Step
	}
	errors.As(err, &r.Engine)
	if errors.As(err, &r.Known) {
		r.Known = &api.Error{Code: r.Known.Code, Kind: r.Known.Kind, Message: r.Known.Message, Hint: r.Known.Hint}
	}
	return r
}

// err is the failure as the worker met it.
func (r report) err() error {
	err := errors.New(r.Text)
	if r.Known != nil {
		err = r.Known
	}
	if r.Engine != nil {
		err = r.Engine
	}
	if r.Step != nil {
		err = &SetupError{Step: *r.Step, Err: err}
	}
	return err
}
