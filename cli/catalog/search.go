package catalog

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cache"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/search"
)

func runSearch(ctx context.Context, a *app.App, query string, limit int) error {
	switch {
	case strings.TrimSpace(query) == "" || utf8.RuneCountInString(query) > api.MaxSearchRunes:
		return usage.Error(fmt.Sprintf("--search takes words, of %d characters at most in all", api.MaxSearchRunes))
	case limit < 1 || limit > api.MaxSearchHits:
		return usage.Error(fmt.Sprintf("--limit is %d; a search shows 1 to %d tables", limit, api.MaxSearchHits))
	}
	remote, err := a.Connect()
	if err != nil {
		return err
	}
	result, err := remote.Search(ctx, api.SearchRequest{Query: query, Limit: limit})
	if cache.OutOfReach(err) {
		result, err = searchKept(a, query, limit, err)
	}
	if err != nil {
		return err
	}
	a.Tell(result.Caveats...)
	list := output.List{Columns: []string{"id", "mode", "found in", "description"}}
	for _, h := range result.Hits {
		list.Rows = append(list.Rows, []any{h.ID, string(h.QueryMode), foundIn(h), h.Description})
	}
	if err := a.ShowItems(a.OutputFormat(), result, list, result.Hits); err != nil {
		return err
	}
	if result.Total > len(result.Hits) {
		a.Note(fmt.Sprintf("the best %d of %s; --limit shows more", len(result.Hits), humanize.Plural(int64(result.Total), "table", "tables")))
	}
	if missing := result.Tables - result.ColumnsKnown; missing > 0 {
		advice := "'da schema <table>' makes them known"
		if strings.HasPrefix(remote.Name, analyst.EmbeddedPrefix) { // an embedded catalog would not know more at the next call
			advice = "'da schema <table>' shows those of one, and a server ('da serve') remembers them"
		}
		a.Note(fmt.Sprintf("the columns of %s are not known and were not searched; %s", humanize.Plural(int64(missing), "table", "tables"),
			advice))
	}
	if result.Total == 0 {
		a.Note("nothing was found; 'da catalog' lists every table")
	}
	return nil
}

// searchKept searches the cached catalog and reports its age. If nothing is
// cached, it returns the error absent.
func searchKept(a *app.App, query string, limit int, absent error) (*api.SearchResult, error) {
	if a.Served == nil {
		return nil, absent
	}
	kept, err := a.Cached()
	if err != nil {
		return nil, err
	}
	var vectors *search.Vectors
	if cfg, err := a.ClientConfig(); err != nil {
		return nil, err
	} else if cfg.SearchVectors != "" {
		if vectors, err = search.ReadVectors(cfg.SearchVectors); err != nil {
			return nil, &api.Error{Code: api.CodeConfig, Message: cfg.SearchVectors + ": " + err.Error(), Err: err,
				Hint: "'da config unset search.vectors' searches without it."}
		}
	}
	result, age, ok := kept.SearchKept(query, limit, vectors)
	if !ok {
		return nil, absent
	}
	a.Warn([]string{app.StaleText(a.Served, age)})
	return result, nil
}

// foundIn summarises where a table matched.
func foundIn(h api.SearchHit) string {
	var parts []string
	for _, m := range h.Matches {
		if what := m.Where(); len(parts) == 0 || parts[len(parts)-1] != what {
			parts = append(parts, what)
		}
	}
	if rest := h.MatchCount - len(h.Matches); rest > 0 {
		parts = append(parts, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(parts, ", ")
}
