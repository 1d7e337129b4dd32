package ossie

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
)

// The objects of the specification; a field has its name in lower case, or the one behind it.
type (
	document struct {
		Version           string
		Dialects, Vendors []string // in 0.1.1: which words the file uses
		Models            []model  `yaml:"semantic_model"`
	}
	model struct {
		Common        `yaml:",inline"`
		Datasets      []*dataset
		Relationships []relationship
		Metrics       []field
	}
	dataset struct {
		Common     `yaml:",inline"`
		Source     string
		PrimaryKey []string   `yaml:"primary_key"`
		UniqueKeys [][]string `yaml:"unique_keys"`
		Fields     []*field
	}
	relationship struct {
		Name, From, To string
		FromColumns    []string            `yaml:"from_columns"`
		ToColumns      []string            `yaml:"to_columns"`
		Context        any                 `yaml:"ai_context"`
		Extensions     []map[string]string `yaml:"custom_extensions"`
	}
	// field is a field or a metric.
	field struct {
		Common     `yaml:",inline"`
		Expression struct {
			Dialects []struct{ Dialect, Expression string }
		}
		Dimension struct {
			IsTime *bool `yaml:"is_time"`
		}
		Label, Datatype string
	}
	// Common is what several objects have. Of it, names, descriptions and synonyms are used.
	Common struct {
		Name, Description string
		Context           any                 `yaml:"ai_context"` // a text, or an object with synonyms
		Extensions        []map[string]string `yaml:"custom_extensions"`
	}
)

// synonyms are the other names of something.
func (e Common) synonyms() (names []string) {
	object, _ := e.Context.(map[string]any)
	list, _ := object["synonyms"].([]any)
	for _, v := range list {
		names = append(names, fmt.Sprint(v))
	}
	return names
}

// reader adds one model of a file.
type reader struct {
	*model
	file  string
	out   *api.SemanticModel
	times map[*dataset]string // the only field that is a time
}

// dataset finds a dataset of this model, and what it became.
func (r *reader) dataset(name string) (*dataset, *api.SemanticTable) {
	for i, s := range r.Datasets {
		if strings.EqualFold(s.Name, name) {
			return s, &r.out.Tables[len(r.out.Tables)-len(r.Datasets)+i]
		}
	}
	return nil, nil
}
