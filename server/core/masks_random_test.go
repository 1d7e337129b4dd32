package core

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// randomGrant is one of a user or a group: some columns, some rows, some masks.
func randomGrant(rng *rand.Rand, columns []string) (g api.NewGrant) {
	if rng.IntN(2) == 0 {
		g.Columns = []string{"id"}
		for _, c := range columns {
			if rng.IntN(3) > 0 {
				g.Columns = append(g.Columns, c)
			}
		}
	}
	g.Rows = []string{"", "", "team = 'a'", "team = 'b'", "team <> 'a'"}[rng.IntN(5)]
	for _, c := range columns {
		if (g.Columns == nil || slices.Contains(g.Columns, c)) && rng.IntN(3) == 0 {
			if g.Masks == nil {
				g.Masks = api.Masks{}
			}
			g.Masks[c] = []string{"null", "constant", "hash", "last4"}[rng.IntN(4)]
		}
	}
	return g
}

// shows reports whether one grant lets a request see a row, and of a column its value.
func shows(g api.NewGrant, team string, selected, tested []string, column string) bool {
	for _, c := range slices.Concat(selected, tested) {
		if g.Columns != nil && !slices.Contains(g.Columns, c) || slices.Contains(tested, c) && g.Masks[c] != "" {
			return false
		}
	}
	return g.Masks[column] == "" && (g.Rows == "" || (team == "a") == (g.Rows == "team = 'a'"))
}

// TestRandomGrantsShowWhatOneOfThemShows: each row and each value of an answer is one that a
// single grant shows to that request, whatever grants come together.
func TestRandomGrantsShowWhatOneOfThemShows(t *testing.T) {
	t.Parallel()
	dir, columns := t.TempDir(), []string{"team", "mail", "card"}
	text, real := "id,team,mail,card\n", map[string][]string{}
	for i := range 8 {
		row := []string{fmt.Sprint(i), string(rune('a' + i%2)), fmt.Sprintf("mail-%d@example.org", i), fmt.Sprintf("card-%d-4111", i)}
		text, real[row[0]] = text+strings.Join(row, ",")+"\n", row
	}
	if err := os.WriteFile(filepath.Join(dir, "people.csv"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := coreOf(t, dir, "sources: { files: { type: lake, root: . } }\ntables:\n  - { id: people, source: files, path: people.csv }\n")
	admin, ctx := c.As(LocalAdmin), t.Context()
	rng, answered := rand.New(rand.NewPCG(3, 4)), 0
	for round := range 6 {
		name := fmt.Sprint("u", round)
		s := userOf(t, c, name)
		var grants []api.NewGrant
		for i := range 1 + rng.IntN(4) {
			g := randomGrant(rng, columns)
			grants = append(grants, g)
			if g.TableID, g.User = "people", name; i%2 == 1 {
				g.User, g.Group = "", fmt.Sprint("g", round, "x", i)
				if _, err := admin.CreateGroup(ctx, api.NewGroup{Name: g.Group}); err != nil {
					t.Fatal(err)
				}
				if err := admin.AddMember(ctx, g.Group, name); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := admin.CreateGrant(ctx, g); err != nil {
				t.Fatal(err)
			}
		}
		check := func(what string, selected, tested []string, rows []api.Row) {
			t.Helper()
			at := slices.Index(selected, "id")
			for _, r := range rows {
				id := fmt.Sprint(r.Values[at])
				for i, column := range selected {
					is := fmt.Sprint(r.Values[i]) == real[id][slices.Index([]string{"id", "team", "mail", "card"}, column)]
					if (is || column == "id") && !slices.ContainsFunc(grants, func(g api.NewGrant) bool { return shows(g, real[id][1], selected, tested, column) }) {
						t.Errorf("%s tells %s of row %s to who has %+v", what, column, id, grants)
					}
				}
			}
		}
		for range 12 {
			req := api.ScanRequest{TableID: "people", Select: []string{"id"}}
			var tested, where []string
			for _, column := range columns {
				if rng.IntN(2) == 0 {
					req.Select = append(req.Select, column)
				}
				switch rng.IntN(6) {
				case 0:
					req.OrderBy, tested = append(req.OrderBy, column), append(tested, column)
				case 1:
					where, tested = append(where, column+" IS NOT NULL"), append(tested, column)
				}
			}
			req.Where = strings.Join(where, " AND ")
			rows, err := allRows(s.Scan(ctx, req))
			if err == nil {
				answered++
				check(fmt.Sprintf("%+v", req), req.Select, tested, rows)
			}
			for _, sql := range []string{"SELECT " + strings.Join(req.Select, ", ") + " FROM people", "SELECT count(mail) FROM people a JOIN people b USING (id)",
				"SELECT " + strings.Join(req.Select, ", ") + " FROM people WHERE card > '' OR mail > ''"} {
				rows, err = allRows(s.Query(ctx, api.QueryRequest{SQL: sql}))
				if e := (*api.Error)(nil); errors.As(err, &e) && e.Code == api.CodeInternal {
					t.Errorf("%s fails for who has %+v: %v", sql, grants, errors.Unwrap(e))
				}
				if err == nil && strings.HasPrefix(sql, "SELECT id") {
					tested := req.Select
					if strings.Contains(sql, "WHERE") {
						tested = append(slices.Clone(tested), "card", "mail")
					}
					check(sql, req.Select, tested, rows)
				}
			}
		}
		if sample, err := s.Sample(ctx, "people", 8); err == nil && slices.Contains(sample.Columns, "id") {
			check("the sample", sample.Columns, nil, sample.Rows)
		}
	}
	if answered < 20 {
		t.Errorf("only %d requests are answered", answered)
	}
}

// allRows reads a stream.
func allRows(stream *api.Stream, err error) (rows []api.Row, _ error) {
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	for stream.Batches.Next() {
		rows = append(rows, arrowjson.Rows(stream.Batches.RecordBatch())...)
	}
	return rows, stream.Batches.Err()
}
