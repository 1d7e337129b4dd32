package core

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/search"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/source"
)

// finder keeps the index of the search as the catalog is. Only what has changed is
// indexed again.
type finder struct {
	mu     sync.Mutex
	index  *search.Index
	all    *registered // that are declared in the index
	model  *api.SemanticModel
	words  *knownWords
	learnt map[string]lesson // by table, of those whose columns are in the index
	ends   time.Time         // when the first of these lessons ends; it may be earlier
	// files are those whose columns are not in the index, by id; nil if nobody has looked yet.
	files   []*table
	vectors string // a file; empty: none, or it has been read
	failed  error  // why it could not be
	// meanings are metrics and entities of the model, by table.
	meanings map[string][]search.Also
}

// lesson says until when the indexed columns of a table count as current, and which
// declaration of the table they belong to.
type lesson struct {
	key   string
	until time.Time
}

func newFinder(vectors string) *finder {
	return &finder{index: search.NewIndex(), learnt: map[string]lesson{}, vectors: vectors}
}

// mean reads the vectors of words at the first search, and says why it could not.
func (f *finder) mean(log *slog.Logger) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.vectors != "" {
		v, err := search.ReadVectors(f.vectors)
		if err != nil {
			f.failed = fmt.Errorf("words of similar meaning are not found: %s: %w", f.vectors, err)
			log.Error("the vectors of words cannot be read", "error", f.failed)
		}
		f.index.Mean(v)
		f.vectors = ""
	}
	return f.failed
}

// learn indexes the columns of a table.
func (f *finder) learn(t *table, schema *source.Schema, until time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.learnt[t.ID] = lesson{t.key, until}
	f.files = nil
	if until.Before(f.ends) {
		f.ends = until
	}
	if f.all != nil && (f.all.tables[t.ID] == nil || f.all.tables[t.ID].key != t.key) { // meanwhile it has been declared anew
		f.ends = time.Time{}
	}
	about := schema.Description
	if about == t.Description {
		about = ""
	}
	columns := schema.Columns
	if columns == nil {
		columns = []api.Column{}
	}
	f.index.Learn(t.ID, search.Learnt{About: about, Columns: columns, Also: enumerated(columns)})
}

// maxListed is how many bytes of the values that a type lists are indexed.
const maxListed = 2000

// enumerated are the values of columns whose types list them: ENUM('new', 'paid').
func enumerated(columns []api.Column) (also []search.Also) {
	for _, c := range columns {
		if strings.HasPrefix(strings.ToUpper(c.Type), "ENUM(") {
			values := strings.NewReplacer("'", "", `"`, "", ")", "").Replace(c.Type[len("ENUM("):min(len(c.Type), maxListed)])
			also = append(also, search.Also{Field: "value", Column: c.Name, Text: values})
		}
	}
	return also
}

// known is what people know, as the index has it.
func (f *finder) known() *knownWords {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.words
}

// knows reports whether the columns of a table are in the index, and current.
func (f *finder) knows(t *table, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	l, ok := f.learnt[t.ID]
	return ok && l.key == t.key && now.Before(l.until)
}

// forget drops the columns of a table from the index, or those of all if id is empty.
func (f *finder) forget(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for of := range f.learnt {
		if id == "" || of == id {
			f.unlearn(of)
		}
	}
}

func (f *finder) unlearn(id string) {
	delete(f.learnt, id)
	f.files = nil
	f.index.Learn(id, search.Learnt{})
}

// follow brings the index up to the catalog, the semantic model and what people know
// as they are now, and returns those of the caller's files whose columns it does not know.
func (f *finder) follow(v *view, model *api.SemanticModel, words *knownWords, now time.Time) (unknown []*table) {
	all := v.all
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all != all || f.model != model || f.words != words {
		if f.model != model {
			f.meanings = v.meanings(model)
		}
		before := f.words
		if before == nil {
			before = &knownWords{}
		}
		for _, t := range all.sorted {
			if f.all == nil || f.model != model || f.all.tables[t.ID] != t || !slices.EqualFunc(before.also[t.ID], words.also[t.ID], sameAlso) {
				f.declare(t, words)
			}
		}
		if f.all != nil {
			for _, t := range f.all.sorted {
				if all.tables[t.ID] == nil {
					f.index.Remove(t.ID)
					delete(f.learnt, t.ID)
				}
			}
		}
		if f.words != words {
			f.index.Explain(words.terms)
		}
		f.all, f.model, f.words, f.ends, f.files = all, model, words, time.Time{}, nil
	}
	if !now.Before(f.ends) {
		f.ends = now.Add(time.Hour)
		for id, l := range f.learnt {
			if t := all.tables[id]; t == nil || l.key != t.key || !now.Before(l.until) {
				f.unlearn(id)
			} else if l.until.Before(f.ends) {
				f.ends = l.until
			}
		}
	}
	if f.files == nil {
		f.files = append([]*table{}, only(all.sorted, func(t *table) bool {
			_, ok := f.learnt[t.ID]
			return !ok && t.sourceType == api.SourceLake
		})...)
	}
	return only(f.files, v.readsPart)
}

// declare indexes what is known of a table without its source.
func (f *finder) declare(t *table, words *knownWords) {
	also := slices.Concat(f.meanings[t.ID], words.also[t.ID])
	f.index.Declare(search.Declared{ID: t.ID, Name: t.Name, Description: t.Description, Also: also})
}

func sameAlso(a, b search.Also) bool {
	return a.Field == b.Field && a.Text == b.Text && a.Column == b.Column && a.Key == b.Key
}

// meanings are, by table, the metrics and entities of a semantic model by whose names
// the table is found.
func (v *view) meanings(model *api.SemanticModel) map[string][]search.Also {
	ids, also := map[string]string{}, map[string][]search.Also{}
	if model == nil {
		return also
	}
	for _, t := range model.Tables {
		id := v.named(t.TableID, t.Relation)
		if id == "" {
			continue
		}
		ids[t.Name] = id
		if len(t.Synonyms) > 0 {
			also[id] = append(also[id], search.Also{Field: "synonym", Text: strings.Join(t.Synonyms, " ")})
		}
		for _, d := range t.Dimensions {
			if len(d.Synonyms) > 0 {
				also[id] = append(also[id], search.Also{Field: "synonym", Text: d.Name + " " + strings.Join(d.Synonyms, " ")})
			}
		}
		for _, e := range t.Entities {
			if column := strings.Trim(e.Expr, `"`); e.Name != column {
				also[id] = append(also[id], search.Also{Field: "join", Text: e.Name, Column: column})
			}
		}
	}
	byName := map[string]api.Metric{}
	for _, m := range model.Metrics {
		byName[m.Name] = m
	}
	for _, m := range model.Metrics {
		if m.Inner || m.Unclear != "" {
			continue
		}
		tables, ok := tablesOf(m, byName, ids, len(byName))
		if ok && len(tables) > 0 {
			also[tables[0]] = append(also[tables[0]], search.Also{
				Field: "metric", Text: strings.Join(append([]string{m.Name, m.Label, m.Description}, m.Synonyms...), " "), Tables: tables[1:],
			})
		}
	}
	return also
}

// tablesOf are the tables that a metric reads; ok is false if one is not in the catalog.
func tablesOf(m api.Metric, byName map[string]api.Metric, ids map[string]string, depth int) (tables []string, ok bool) {
	if m.Kind == api.MetricSimple || m.Table != "" {
		id := ids[m.Table]
		return []string{id}, id != ""
	}
	if depth < 0 {
		return nil, false
	}
	for _, in := range m.Inputs {
		more, ok := tablesOf(byName[in.Metric], byName, ids, depth-1)
		if !ok {
			return nil, false
		}
		for _, id := range more {
			if !slices.Contains(tables, id) {
				tables = append(tables, id)
			}
		}
	}
	return tables, true
}

// sight says what of a table the caller may find it by.
func (v *view) sight(id string) search.Sight {
	t := v.tables[id]
	switch {
	case t == nil:
		return search.Sight{}
	case v.readsWhole(t):
		return search.Sight{Any: true, Whole: true}
	}
	return search.Sight{Any: len(v.grants[id]) > 0, Column: func(name string) bool {
		// Types and descriptions of a masked column can list its values.
		return slices.ContainsFunc(v.grants[id], func(g api.Grant) bool {
			return (g.Columns == nil || slices.Contains(g.Columns, name)) && g.Masks[name] == ""
		})
	}}
}

// knownWords is what people have written down, and what fetches have seen, as the search
// has it.
type knownWords struct {
	rows      []state.Known // as they were read
	also      map[string][]search.Also
	terms     map[string]string
	questions map[string]*keptQuestion // by key
}

// readWords reads what people know; it returns the same as before if that has not changed.
func (c *Core) readWords(ctx context.Context, all *registered, before *knownWords) (*knownWords, error) {
	notes, err := c.state.Known(ctx, note)
	if err != nil {
		return nil, internalError("read the notes", err)
	}
	questions, err := c.state.Known(ctx, question)
	if err != nil {
		return nil, internalError("read the questions", err)
	}
	passed, err := c.state.Known(ctx, seen)
	if err != nil {
		return nil, internalError("read what was seen", err)
	}
	rows := slices.Concat(notes, questions, passed)
	if before != nil && slices.Equal(before.rows, rows) {
		return before, nil
	}
	k := &knownWords{rows: rows, also: map[string][]search.Also{}, terms: map[string]string{}, questions: map[string]*keptQuestion{}}
	for _, row := range rows {
		switch row.Kind {
		case question:
			err = k.question(&row, all)
		case seen:
			k.seen(&row, all)
		default:
			err = k.note(&row)
		}
		if err != nil {
			return nil, internalError("read what people know", err)
		}
	}
	return k, nil
}

func (k *knownWords) note(row *state.Known) error {
	var n api.Note
	if err := json.Unmarshal([]byte(row.Data), &n); err != nil {
		return err
	}
	if n.Term != "" {
		k.terms[n.Term] = n.Text
		return nil
	}
	also := search.Also{Field: note, Text: n.Text, Column: n.Column}
	if n.Column == "" {
		also.Key = tableKey // shown to all who may read something of the table
	}
	k.also[n.TableID] = append(k.also[n.TableID], also)
	return nil
}

// seen takes values of columns. Only who reads the whole table finds by them: rows that a
// rule hides can have them.
func (k *knownWords) seen(row *state.Known, all *registered) {
	var v seenValues
	if t := all.tables[row.Name]; t == nil || json.Unmarshal([]byte(row.Data), &v) != nil || v.Key != t.key {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(v.Columns)) {
		if text := strings.Join(v.Columns[name], ", "); text != "" {
			k.also[row.Name] = append(k.also[row.Name], search.Also{Field: "value", Column: name, Text: text, Tables: []string{}})
		}
	}
}

// tableKey is the key of what all may see who see the table.
const tableKey = "*"

// keyOfQuestion is another one when the question is: who knows of the old one does not
// find by the words of the new one.
func keyOfQuestion(q *keptQuestion) string { return q.Name + " " + q.Definition }

func (k *knownWords) question(row *state.Known, all *registered) error {
	q, err := readQuestion(row)
	if err != nil {
		return err
	}
	k.questions[keyOfQuestion(q)] = q
	text := q.Name + ": " + q.Question
	for _, words := range q.Also {
		text += "; " + words
	}
	for _, id := range q.Tables {
		if all.tables[id] != nil {
			k.also[id] = append(k.also[id], search.Also{Field: question, Text: text, Key: keyOfQuestion(q)})
		}
	}
	return nil
}

// sees returns a function that reports whether the caller may know what has a key.
func (k *knownWords) sees(who *keeper) func(key string) bool {
	known := map[string]bool{}
	return func(key string) bool {
		if key == tableKey {
			return true
		}
		may, looked := known[key]
		if !looked {
			q := k.questions[key]
			may = q != nil && who.mayKnow(q)
			known[key] = may
		}
		return may
	}
}
