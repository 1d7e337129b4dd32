package gist

import (
	"bufio"
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/search"
)

// schemas is a catalog that answers from a list.
type schemas struct {
	api.Catalog
	api.Knower
	byID  map[string]*api.TableSchema
	index *search.Index
}

func (s *schemas) Schema(_ context.Context, id string) (*api.TableSchema, error) {
	return s.byID[id], nil
}

func (s *schemas) SemanticModel(context.Context) (*api.SemanticModel, error) {
	return &api.SemanticModel{}, nil
}

func (s *schemas) Known(context.Context) (*api.Known, error) { return &api.Known{}, nil }

func (s *schemas) Search(_ context.Context, req api.SearchRequest) (*api.SearchResult, error) {
	return s.index.Search(req.Query, req.Limit, req.Any, everything).Result(req.Query, func(f search.Found) api.SearchHit {
		return api.SearchHit{Name: f.ID}
	}), nil
}

// publicSchemas reads testdata/schemas.txt: its first lines say where they are from.
func publicSchemas(t testing.TB) *schemas {
	t.Helper()
	s := &schemas{byID: map[string]*api.TableSchema{}, index: search.NewIndex()}
	types := map[string]string{"n": "BIGINT", "t": "VARCHAR", "d": "TIMESTAMP", "b": "BOOLEAN", "o": "VARCHAR"}
	for _, line := range lines(t, "testdata/schemas.txt") {
		id, rest, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		schema := &api.TableSchema{TableID: id}
		for _, column := range strings.Split(rest, "\t") {
			parts := append(strings.Split(column, `\`), "", "")
			schema.Columns = append(schema.Columns, api.Column{Name: parts[0], Type: types[parts[1]], Description: parts[3]})
			if table, to, ok := strings.Cut(parts[2], "."); ok {
				schema.ForeignKeys = append(schema.ForeignKeys, api.ForeignKey{Column: parts[0], Table: table, ToColumn: to})
			}
		}
		s.byID[id] = schema
		s.index.Declare(search.Declared{ID: id})
		s.index.Learn(id, search.Learnt{Columns: schema.Columns})
	}
	return s
}

func lines(t testing.TB, name string) (all []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		if !strings.HasPrefix(in.Text(), "#") {
			all = append(all, in.Text())
		}
	}
	return all
}

// recall is which share of the needed columns the texts of questions have: overall, and
// the questions that have all.
func recall(t testing.TB, s *schemas, name string, tell bool) (share float64, whole, questions int) {
	needed, found := 0, 0
	for _, line := range lines(t, name) {
		question, want, _ := strings.Cut(line, "\t")
		g, err := Of(t.Context(), analyst.Remote{Data: api.Data{Catalog: s, Searcher: s, Modeler: s, Knower: s}}, question, DefaultTokens)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Text) > DefaultTokens*4 {
			t.Errorf("%s: %d bytes", question, len(g.Text))
		}
		var missing []string
		for _, column := range strings.Fields(want) {
			needed++
			table, name, _ := strings.Cut(column, ".")
			i := slices.IndexFunc(g.Tables, func(x Table) bool { return x.ID == table })
			if i >= 0 && (name == "*" || slices.ContainsFunc(g.Tables[i].Columns, func(c Column) bool { return strings.EqualFold(strings.ReplaceAll(c.Name, " ", "_"), name) })) {
				found++
			} else {
				missing = append(missing, column)
			}
		}
		questions++
		if missing == nil {
			whole++
		} else if tell {
			var got []string
			for _, x := range g.Tables {
				got = append(got, x.ID)
			}
			t.Logf("%s: lacks %v; has %d tables, first %v", question, missing, len(got), got[:min(len(got), 6)])
		}
	}
	return float64(found) / float64(max(needed, 1)), whole, questions
}

// TestRecallOfNeededColumns: of the columns that the statements of 179 questions name,
// 95 of 100 are in 2,000 tokens, out of a catalog of more than 1,000 tables. People who
// know nothing of da wrote questions and schemas; half of the questions were not looked
// at before the search was done. -v names what is lacking.
func TestRecallOfNeededColumns(t *testing.T) {
	t.Parallel()
	s := publicSchemas(t)
	if len(s.byID) < 1000 {
		t.Errorf("%d tables", len(s.byID))
	}
	for _, half := range []string{"seen", "unseen"} {
		share, whole, n := recall(t, s, "testdata/"+half+".txt", testing.Verbose())
		t.Logf("%s: recall %.3f, %d of %d questions have all", half, share, whole, n)
		if share < 0.95 || n < 80 {
			t.Errorf("%s: recall %.3f of %d questions", half, share, n)
		}
	}
}

// TestTheSameQuestionHasTheSameText, also of an index that was made in another order.
func TestTheSameQuestionHasTheSameText(t *testing.T) {
	t.Parallel()
	one, other := publicSchemas(t), publicSchemas(t)
	other.index = search.NewIndex()
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(other.byID))) {
		other.index.Learn(id, search.Learnt{Columns: other.byID[id].Columns})
		other.index.Declare(search.Declared{ID: id})
	}
	for _, line := range lines(t, "testdata/seen.txt")[:20] {
		question, _, _ := strings.Cut(line, "\t")
		var texts []string
		for _, s := range []*schemas{one, other, one} {
			g, err := Of(t.Context(), analyst.Remote{Data: api.Data{Catalog: s, Searcher: s, Modeler: s, Knower: s}}, question, 700)
			if err != nil || len(g.Text) > 700*4 || !strings.Contains(g.Text, "left out: ") {
				t.Fatalf("%s: %v\n%s", question, err, g.Text)
			}
			texts = append(texts, g.Text)
		}
		if texts[0] != texts[1] || texts[0] != texts[2] {
			t.Errorf("%s:\n%s\n%s\n%s", question, texts[0], texts[1], texts[2])
		}
	}
}

// TestRecallByMeaning asks with words that the schemas do not have. DA_VECTORS names a file
// of word vectors: with it no column of a question as it was written may be lost, and more
// are found of the others.
func TestRecallByMeaning(t *testing.T) {
	t.Parallel()
	path := os.Getenv("DA_VECTORS")
	if path == "" {
		path = "../../internal/words/search/testdata/vectors.txt"
	}
	vectors, err := search.ReadVectors(path)
	if err != nil {
		t.Fatal(err)
	}
	plain, meaning := publicSchemas(t), publicSchemas(t)
	meaning.index.Mean(vectors)
	for _, name := range []string{"paraphrased", "seen", "unseen"} {
		before, whole, n := recall(t, plain, "testdata/"+name+".txt", false)
		after, all, _ := recall(t, meaning, "testdata/"+name+".txt", testing.Verbose() && name == "paraphrased")
		t.Logf("%s: recall %.3f without vectors, %d of %d have all; with them %.3f, %d", name, before, whole, n, after, all)
		if after < before-0.005 {
			t.Errorf("%s: recall %.3f without vectors, %.3f with them", name, before, after)
		}
	}
}
