package core

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// aModel uses the table secret, whose columns are id and word.
const aModel = `{"semantic_models": [{"name": "secrets", "node_relation": {"alias": "secret", "relation_name": "\"x\".\"main\".\"secret\""}, "primary_entity": "one",
	"entities": [], "dimensions": [{"name": "word", "type": "categorical"}, {"name": "even", "type": "categorical", "expr": "id % 2 = 0"},
	{"name": "both", "type": "categorical", "expr": "word || '-' || \"id\""}],
	"measures": [{"name": "n", "agg": "count", "expr": "1"}, {"name": "ids", "agg": "sum", "expr": "\"ID\" + 1"}, {"name": "words", "agg": "count_distinct", "expr": "word"},
	{"name": "none", "agg": "sum", "expr": "gone * 2"}]}],
	"metrics": [{"name": "gone", "type": "simple", "type_params": {"measure": {"name": "none"}}},
	{"name": "n", "type": "simple", "type_params": {"measure": {"name": "n"}}}, {"name": "ids", "type": "simple", "type_params": {"measure": {"name": "ids"}}},
	{"name": "words", "type": "simple", "type_params": {"measure": {"name": "words"}}},
	{"name": "even_words", "type": "simple", "type_params": {"measure": {"name": "words"}}, "filter": {"where_filters": [{"where_sql_template": "{{ Dimension('one__even') }}"}]}},
	{"name": "both_words", "type": "simple", "type_params": {"measure": {"name": "words"}}, "filter": {"where_filters": [{"where_sql_template": "{{ Dimension('one__both') }} <> 'x'"}]}},
	{"name": "share", "type": "ratio", "type_params": {"numerator": {"name": "words"}, "denominator": {"name": "ids"}}},
	{"name": "bought", "type": "conversion", "type_params": {"conversion_type_params": {"entity": "one"}}}]}`

// TestMetricsStandOnWhatMayBeRead: a user is offered a metric or dimension only if
// all columns below it may be read.
func TestMetricsStandOnWhatMayBeRead(t *testing.T) {
	c, _ := testCore(t, "{}")
	c.meaning.path = filepath.Join(t.TempDir(), "semantic_manifest.json")
	if err := os.WriteFile(c.meaning.path, []byte(aModel), 0o600); err != nil {
		t.Fatal(err)
	}
	manifest := `{"nodes": {"model.x": {"alias": "secret", "relation_name": "x.main.secret"}, "model.y": {"alias": "numbers", "relation_name": "x.main.numbers"},
		"test.x": {"test_metadata": {"name": "relationships", "kwargs": {"column_name": "id", "field": "n"}}, "attached_node": "model.x",
		"depends_on": {"nodes": ["model.y", "model.x"]}}}}`
	if err := os.WriteFile(filepath.Join(filepath.Dir(c.meaning.path), "manifest.json"), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	admin := c.As(LocalAdmin)
	for _, name := range []string{"una", "otto", "nobody"} {
		if _, err := admin.CreateUser(t.Context(), api.NewUser{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range []api.NewGrant{{User: "una", TableID: "secret", Columns: []string{"word"}}, {User: "otto", TableID: "secret"}} {
		if _, err := admin.CreateGrant(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []struct {
		session             *Session
		metrics, dimensions string
		joins               int
	}{
		{admin, "gone n ids words even_words both_words share bought", "word even both", 1},
		{userOf(t, c, "otto"), "n ids words even_words both_words share", "word even both", 1},
		{userOf(t, c, "una"), "n words", "word", 0},
		{userOf(t, c, "nobody"), "", "", 0},
	} {
		m, err := want.session.SemanticModel(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Joins) != want.joins {
			t.Errorf("%s is told of %+v", want.session.who.User, m.Joins)
		}
		var metrics, dimensions []string
		for _, v := range m.Metrics {
			metrics = append(metrics, v.Name)
			if want := "metric 'gone' cannot be asked for: table secret has no column gone"; v.Name == "gone" && v.Unclear != want {
				t.Errorf("%q, not %q", v.Unclear, want)
			}
		}
		for _, table := range m.Tables {
			for _, d := range table.Dimensions {
				dimensions = append(dimensions, d.Name)
			}
		}
		if !slices.Equal(metrics, strings.Fields(want.metrics)) || !slices.Equal(dimensions, strings.Fields(want.dimensions)) {
			t.Errorf("%s is offered %v by %v, not %s by %s", want.session.who.User, metrics, dimensions, want.metrics, want.dimensions)
		}
	}
}
