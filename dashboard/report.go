package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/markdown"
	"github.com/agnes-data/da/server/resultset"
	"github.com/agnes-data/da/statement/params"
)

// mostText bounds the text of all tables of a report, in bytes.
const mostText = 8 << 20

// limits bound the result of one tile, which is kept while it is drawn.
var limits = resultset.Limits{Bytes: 1 << 30, Each: 256 << 20, Own: 1, For: time.Hour, Memory: "256MiB"}

// Result is a running statement.
type Result struct {
	Rows  api.Rows
	Asked figures.Asked
	Close func()
}

// Request says how to make a report.
type Request struct {
	Format string        // one of Formats
	Given  params.Values // override the sheet's values
	// Flavor is the dialect of a statement for its source; Run starts one.
	Flavor func(ctx context.Context, sql string) (string, error)
	Run    func(ctx context.Context, sql string) (*Result, error)
	// Print writes a document as PDF.
	Print func(ctx context.Context, document io.Reader, w io.Writer) error
	Dir   string // a folder for temporary results
	Now   time.Time
}

// Formats are the endings of files of reports.
func Formats() []string { return []string{".html", ".pdf", ".pptx", ".docx"} }

// Write writes a report of a sheet to w.
func (s *Sheet) Write(ctx context.Context, w io.Writer, r Request) (*reports.Report, error) {
	pdf := r.Format == ".pdf"
	if pdf {
		r.Format = ".docx"
	}
	board, done, err := s.answered(ctx, r)
	if err != nil {
		return nil, err
	}
	if !pdf {
		return done, board.Write(ctx, r.Format, w, r.Now)
	}
	var document bytes.Buffer
	if err := board.Write(ctx, r.Format, &document, r.Now); err != nil {
		return nil, err
	}
	return done, r.Print(ctx, &document, w)
}

// answered runs all statements of a sheet, one after the other. An error names the tile.
func (s *Sheet) answered(ctx context.Context, r Request) (*reports.Board, *reports.Report, error) {
	dir, err := os.MkdirTemp(r.Dir, "da-report-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the process removes what is left
	store := resultset.New(dir, limits)
	defer store.Close()
	values := maps.Clone(s.values)
	maps.Copy(values, r.Given)
	used := map[string]bool{}
	board := &reports.Board{Title: cmp.Or(s.Name, "Dashboard")}
	done := &reports.Report{Filled: []reports.Filled{}}
	statements, err := s.statements(ctx, r, values, used)
	if err != nil {
		return nil, nil, err
	}
	text := 0
	for i, c := range s.Cells {
		tile := reports.Tile{Title: c.title(), Wide: c.Wide}
		if c.Text != nil {
			var b strings.Builder
			words := markdown.New(&b, 0, false)
			words.Write(*c.Text)
			if err := words.Close(); err != nil {
				return nil, nil, err
			}
			board.Tiles = append(board.Tiles, reports.Tile{Words: strings.TrimSpace(b.String())})
			continue
		}
		if tile.Statement = statements[i]; tile.Statement == "" {
			continue
		}
		if text, err = r.answer(ctx, store, c, &tile, text); err != nil {
			return nil, nil, about(tile.Title, err)
		}
		done.Caveats = append(done.Caveats, tile.Caveats...)
		one := reports.Filled{At: fmt.Sprintf("tile %d", i+1), Placeholder: tile.Title, Kind: reports.Plot}
		if tile.Rows != nil {
			one.Kind, one.Rows = reports.Table, len(tile.Rows.Values)
		}
		done.Filled = append(done.Filled, one)
		board.Tiles = append(board.Tiles, tile)
	}
	board.About = "Made " + r.Now.UTC().Format("2006-01-02 15:04") + " UTC by da." + said(values, used)
	done.Caveats = api.Arranged(done.Caveats)
	return board, done, nil
}

// statements are those of the cells, with the values of their parameters. It fails before any
// of them runs, and notes which values were used.
func (s *Sheet) statements(ctx context.Context, r Request, values params.Values, used map[string]bool) ([]string, error) {
	all := make([]string, len(s.Cells))
	for i, c := range s.Cells {
		if c.Text != nil || strings.TrimSpace(c.SQL) == "" {
			continue
		}
		filled, err := r.filled(ctx, s.Where, s.statement(i), values)
		if err != nil {
			return nil, about(c.title(), err)
		}
		maps.Copy(used, filled.Used)
		all[i] = filled.Text
	}
	return all, params.Unused(r.Given, used)
}

// filled puts the values of parameters into a statement.
func (r Request) filled(ctx context.Context, where, sql string, values params.Values) (*params.Filled, error) {
	flavor := "duckdb"
	if where == Source && params.Mentions(sql) {
		var err error
		if flavor, err = r.Flavor(ctx, sql); err != nil {
			return nil, err
		}
	}
	return params.Fill(sql, flavor, values)
}

// answer runs the statement of a tile. text is the size of the tables so far; the new size is
// returned.
func (r Request) answer(ctx context.Context, store *resultset.Store, c cell, tile *reports.Tile, text int) (int, error) {
	result, err := r.Run(ctx, tile.Statement)
	if err != nil {
		return text, err
	}
	set, err := store.Keep(ctx, resultset.Owner{}, result.Rows)
	result.Close()
	if err != nil {
		return text, err
	}
	tile.Caveats, tile.Size = slices.Clone(set.Caveats), humanize.Plural(set.Rows, "row", "rows")
	if c.Look.View == "chart" {
		tile.Drawing, err = c.Look.Chart.draw(ctx, set)
		var refused *api.Error
		if err == nil {
			tile.Caveats, tile.Drawing.Asked = tile.Drawing.Caveats, result.Asked
			return text, nil
		}
		if !errors.As(err, &refused) || refused.Code != api.CodeUsage {
			return text, err
		}
		tile.Caveats = append(tile.Caveats, api.NewCaveat(api.CaveatOther, "no chart is drawn: %s", refused.Message))
	}
	most := int64(reports.MostOnBoard(r.Format))
	if set.Rows > most {
		tile.Caveats = append(tile.Caveats, api.NewCaveat(api.CaveatCut, "only the first %d of %s are shown", most, tile.Size))
	}
	stream, _, err := set.Stream(ctx, api.ResultPart{}, 0, most)
	if err != nil {
		return text, err
	}
	defer stream.Close()
	if tile.Rows, err = reports.ReadRows(stream.Rows(), int(most)); err != nil {
		return text, err
	}
	tile.Rows.Asked = result.Asked
	tile.Rows.Asked.Part = set.Rows > most
	for _, row := range tile.Rows.Values {
		for _, v := range row {
			text += len(fmt.Sprint(v))
		}
	}
	if text > mostText {
		return text, &api.Error{Code: api.CodeTooLarge, Kind: api.KindRows, Message: "the tables have more text than a report can have, 8 MB",
			Hint: "Leave long columns out, or add a LIMIT."}
	}
	return text, nil
}

// about says which tile an error is about.
func about(tile string, err error) error {
	var e *api.Error
	if !errors.As(err, &e) {
		return err
	}
	named := *e
	named.Message = fmt.Sprintf("tile '%s': %s", api.Clip(tile, 80), e.Message)
	return &named
}

// said lists values for people.
func said(values params.Values, used map[string]bool) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(used)) {
		all = append(all, fmt.Sprintf("$%s = %v", name, values[name]))
	}
	if all == nil {
		return ""
	}
	return " With " + strings.Join(all, ", ") + "."
}
