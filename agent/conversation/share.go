package conversation

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Shared lists the tables that a shared conversation used. A viewer must be able to read
// all of them, as its owner could.
type Shared struct {
	Tables []SharedTable `json:"tables"`
}

// SharedTable is a table with the columns that its owner could read.
type SharedTable struct {
	ID      string   `json:"id"`
	Columns []string `json:"columns"`
}

// Share shares what a conversation has said until now, over what restsOn says of it while
// nothing can be added; with nil it is shared no longer. Errors are those of Open and restsOn.
func (s Store) Share(id string, restsOn func([]Record) (*Shared, error)) (over *Shared, err error) {
	l, err := s.Open(id)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if restsOn != nil {
		if over, err = restsOn(l.Records); err != nil {
			return nil, err
		}
	}
	return over, l.Append(Record{Type: Sharing, Shared: over})
}

// SharedPart returns what others may look at: what was said, done and answered until it
// was shared, without what only the model is told. It fails with CodeUsage if the
// conversation is not shared, as if it were not there.
func (s Store) SharedPart(id string) (*Shared, []Record, error) {
	records, err := s.Read(id)
	if err != nil {
		return nil, nil, err
	}
	last := len(records) - 1
	for last >= 0 && records[last].Type != Sharing {
		last--
	}
	if last < 0 || records[last].Shared == nil {
		return nil, nil, unknown(id)
	}
	over := records[last].Shared
	shown := []Type{UserMessage, AssistantMessage, Untraced, ToolResult, TurnEnd, Title}
	records = slices.DeleteFunc(records[:last], func(r Record) bool { return r.Type != Begin && !slices.Contains(shown, r.Type) })
	for i, r := range records {
		if r.Type == Untraced { // that an answer was withdrawn, not what the model was told
			records[i] = Record{Type: Untraced, At: r.At}
		}
	}
	records[0] = Record{Type: Begin, At: records[0].At, ID: records[0].ID} // without its secret
	return over, WithoutReasoning(records), nil
}

// escapes are what JSON writes for characters between words, and coded what it may write
// for any.
var (
	escapes = lazyregexp.New(`\\u[0-9a-f]{4}|\\[bfnrt]`)
	coded   = lazyregexp.New(`\\u[0-9a-f]{4}`)
)

// onlyNames reports whether a record is the answer of a search without rows: it names
// tables, and shows nothing that is in them.
func (r Record) onlyNames() bool {
	return r.Type == ToolResult && r.Tool == "catalog_search" &&
		!strings.Contains(r.Content, `"sample"`) && !strings.Contains(r.Content, `"where_examples"`)
}

// WithoutNames returns records without the answers of searches that only name tables. A reader
// may have no right to know that these tables exist.
func WithoutNames(records []Record) []Record {
	records = slices.Clone(records)
	for i, r := range records {
		if r.onlyNames() {
			records[i].Content = "The names of tables that this search found are not shared."
		}
		if r.Type == There { // it is for the model alone
			records[i].Text = ""
		}
	}
	return records
}

// Mentions returns the tables that a conversation names, in questions, calls or answers. It
// skips what WithoutNames removes. A name that is an ordinary word counts, too.
func Mentions(records []Record, tables []api.Table) (ids []string) {
	words := map[string]bool{}
	notWord := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, r := range WithoutNames(records) {
		data, err := json.Marshal(r)
		if err != nil {
			continue // cannot happen: it was read as JSON
		}
		text := strings.ToLower(string(data))
		// A model may write letters as escapes. And \n in JSON may be a line break, or a
		// backslash and the first letter of a name, so each way of reading counts.
		spelt := coded().ReplaceAllStringFunc(text, func(code string) string {
			n, _ := strconv.ParseUint(code[2:], 16, 32) // four digits
			return strings.ToLower(string(rune(n)))
		})
		for _, reading := range []string{escapes().ReplaceAllString(text, " "), spelt, escapes().ReplaceAllString(spelt, " ")} {
			for _, word := range strings.FieldsFunc(reading, notWord) {
				words[word] = true
			}
		}
	}
	for _, t := range tables {
		if !slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(t.ID), notWord), func(part string) bool { return !words[part] }) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// Tables returns the tables that tools of a conversation have read: by their arguments, by
// what their answers say of it, and by the snapshots that they rest on.
func Tables(records []Record) (ids []string) {
	asked := map[string][]string{} // by call
	for _, r := range records {
		for _, c := range r.ToolCalls {
			var in struct {
				TableID string `json:"table_id"`
				Table   string `json:"table"`
			}
			if json.Unmarshal([]byte(c.Function.Arguments), &in) == nil {
				asked[c.ID] = []string{in.TableID, in.Table}
			}
		}
		if r.Type == ToolResult && !r.Failed {
			ids = slices.Concat(ids, asked[r.ToolCallID], answered(r.Content))
		}
		for _, in := range r.Inputs {
			ids = append(ids, in.TableID)
		}
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == "" })
}

// answered returns the tables that an answer of statements names as read.
func answered(content string) (ids []string) {
	type from struct {
		From map[string]string `json:"from"`
	}
	var out struct {
		from
		Results []from `json:"results"`
	}
	if json.Unmarshal([]byte(content), &out) != nil {
		return nil // a text
	}
	for _, f := range append(out.Results, out.from) {
		ids = slices.AppendSeq(ids, maps.Keys(f.From))
	}
	return ids
}
