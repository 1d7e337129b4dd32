package checks

import (
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/strictyaml"
)

// Decode reads the YAML of a file that people write. The error is of the kind.
func Decode(name, text, kind string, into any) error {
	if err := strictyaml.Decode(text, into); err != nil {
		return &api.Error{Code: api.CodeConfig, Kind: kind, Message: name + ": " + err.Error(), Err: err, Hint: schemaHint}
	}
	return nil
}
