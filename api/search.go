package api

import "context"

// Bounds of a search.
const (
	DefaultSearchHits = 50
	MaxSearchHits     = 1000
	MaxSearchRunes    = 1000
)

// Searcher finds tables by keywords.
type Searcher interface {
	// Search returns tables that contain every word of the query, or a form of it, in
	// id, name, description, in the name or description of a column, in values that a
	// column's type lists, in metrics and joins, or in what people wrote down. If none does, those that contain some follow, and a word that
	// is nowhere is taken for one like it. It never asks a warehouse: columns are
	// searched only if their schema is cached.
	Search(ctx context.Context, req SearchRequest) (*SearchResult, error)
}

// SearchRequest is what to search for.
type SearchRequest struct {
	Query string
	Limit int // of tables, 1 to MaxSearchHits
	// Any is for questions: tables that contain some of the words are found, too, even
	// if others contain all.
	Any bool
}

// SearchResult is the answer of GET /api/v2/catalog/search.
type SearchResult struct {
	Query string      `json:"query"`
	Hits  []SearchHit `json:"hits"`  // best first, then by id; never null
	Total int         `json:"total"` // number of hits, including those beyond the limit
	// Tables is the number of tables that the caller can see. ColumnsKnown is how
	// many of them also had their columns searched.
	Tables       int `json:"tables"`
	ColumnsKnown int `json:"columns_known"`
	// Caveats say what was searched in place of the words; nil from older servers.
	Caveats []Caveat `json:"caveats"`
}

// SearchHit is one table that matches.
type SearchHit struct {
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	Description string        `json:"description"`
	SourceType  SourceType    `json:"source_type"`
	QueryMode   QueryMode     `json:"query_mode"`
	Score       int           `json:"score"`   // only to compare hits of one result
	Matches     []SearchMatch `json:"matches"` // best first; not all if there are many
	MatchCount  int           `json:"match_count"`
}

// SearchMatch is a place where a word occurs.
type SearchMatch struct {
	// Field is "id", "name", "description", "column", "column_description", "value",
	// "metric", "join", "note" or "question".
	Field  string `json:"field"`
	Column string `json:"column,omitempty"` // that Text is of
	Text   string `json:"text"`             // the field's, clipped
	Why    string `json:"why,omitempty"`    // of a word that is not there: which one of similar meaning is, as "revenue ~ sales"
}

// Where says in few words where the match is, and why if another word is there.
func (m SearchMatch) Where() string {
	where := m.Field
	if m.Column != "" {
		where = "column " + m.Column
	}
	if m.Why != "" {
		where += " (" + m.Why + ")"
	}
	return where
}
