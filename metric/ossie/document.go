package ossie

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
)

// The objects of the specification.
type (
	document struct {
		Version  string   `yaml:"version"`
		Dialects []string `yaml:"dialects"` // in 0.1.1, as are vendors: which words the file uses
		Vendors  []string `yaml:"vendors"`
		Models   []model  `yaml:"semantic_model"`
	}
	model struct {
		Common        `yaml:",inline"`
		Datasets      []*dataset     `yaml:"datasets"`
		Relationships []relationship `yaml:"relationships"`
		Metrics       []field        `yaml:"metrics"`
	}
	dataset struct {
		Common     `yaml:",inline"`
		Source     string     `yaml:"source"`
		PrimaryKey []string   `yaml:"primary_key"`
		UniqueKeys [][]string `yaml:"unique_keys"`
		Fields     []*field   `yaml:"fields"`
	}
	relationship struct {
		Name        string              `yaml:"name"`
		From        string              `yaml:"from"`
		To          string              `yaml:"to"`
		FromColumns []string            `yaml:"from_columns"`
		ToColumns   []string            `yaml:"to_columns"`
		Context     any                 `yaml:"ai_context"`
		Extensions  []map[string]string `yaml:"custom_extensions"`
	}
	// field is a field or, without dimension and label, a metric.
	field struct {
		Common     `yaml:",inline"`
		Expression struct {
			Dialects []struct {
				Dialect    string `yaml:"dialect"`
				Expression string `yaml:"expression"`
			} `yaml:"dialects"`
		} `yaml:"expression"`
		Dimension *struct {
			IsTime *bool `yaml:"is_time"`
		} `yaml:"dimension"`
		Label    string `yaml:"label"`
		Datatype string `yaml:"datatype"`
	}
	// Common is what several objects have. Of it, names, descriptions and synonyms are used.
	Common struct {
		Name        string              `yaml:"name"`
		Description string              `yaml:"description"`
		Context     any                 `yaml:"ai_context"` // a text, or an object with synonyms
		Extensions  []map[string]string `yaml:"custom_extensions"`
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

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
