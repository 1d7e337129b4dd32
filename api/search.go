package api

import "context"

// Bounds of a search.
const (
	DefaultSearchHits = 50
	MaxSearchHits     = 1000
	MaxSearchRunes    = 200
)

// Searcher finds tables by words.
type Searcher interface {
	// Search returns up to limit tables, 1 ≤ limit ≤ MaxSearchHits, in which
	// each word of the query occurs: in id, name, description, or in a column's
	// name or description. It asks no warehouse: columns count as far as they
	// are known already.
	Search(ctx context.Context, query string, limit int) (*SearchResult, error)
}

// SearchResult is the answer of GET /api/v2/catalog/search.
type SearchResult struct {
	Query string      `json:"query"`
	Hits  []SearchHit `json:"hits"`  // best first, then by id; never null
	Total int         `json:"total"` // hits in all, those beyond the limit too
	// Tables is how many there are for the caller; of ColumnsKnown of them the
	// columns were looked at too.
	Tables       int `json:"tables"`
	ColumnsKnown int `json:"columns_known"`
}

// SearchHit is a table that was found.
type SearchHit struct {
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	Description string        `json:"description"`
	SourceType  SourceType    `json:"source_type"`
	QueryMode   QueryMode     `json:"query_mode"`
	Score       int           `json:"score"`   // only to compare hits of one result
	Matches     []SearchMatch `json:"matches"` // best first; some, if there are many
	MatchCount  int           `json:"match_count"`
}

// SearchMatch is a place where a word occurs.
type SearchMatch struct {
	// Field is "id", "name", "description", "column" or "column_description".
	Field  string `json:"field"`
	Column string `json:"column,omitempty"` // for the last two
	Text   string `json:"text"`             // the field's, clipped
}
