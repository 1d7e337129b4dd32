package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// Bounds on the files of dashboards.
const (
	maxDashboards     = 200
	maxDashboardBytes = 256 << 10
)

var errTooMany = fmt.Errorf("this file and those after it are not read: only %d are shown", maxDashboards)

// Dashboards implements api.TablePager: those of the instance's folder that name
// only tables of which the caller may read all columns: statements name columns, and
// values of them. The folder is read at each call.
func (s *Session) Dashboards(ctx context.Context) ([]api.Dashboard, error) {
	r := s.begin(api.EventCatalog, "")
	list, err := s.dashboards(ctx)
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	return list, nil
}

func (s *Session) dashboards(ctx context.Context) ([]api.Dashboard, error) {
	list := []api.Dashboard{}
	v, err := s.readRights(ctx)
	if err != nil || s.core.folder == "" {
		return list, err
	}
	entries, err := os.ReadDir(s.core.folder)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // the folder may come later
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		d, err := api.Dashboard{}, errTooMany
		if len(list) < maxDashboards {
			d, err = readDashboard(filepath.Join(s.core.folder, e.Name()))
		}
		d.ID = id
		switch {
		case err != nil:
			s.core.log.Error("a dashboard cannot be read", "file", e.Name(), "error", err)
			if d.Problem = api.Clip(err.Error(), 300); s.who.Admin {
				list = append(list, d)
			}
		case s.who.Admin || !slices.ContainsFunc(d.Tables, v.hides):
			list = append(list, d)
		}
		if errors.Is(err, errTooMany) {
			return list, nil
		}
	}
	return list, err
}

// hides reports whether the caller may not read all columns of a table, unmasked.
func (v *view) hides(table string) bool {
	t := v.tables[table]
	allColumns := func(g api.Grant) bool { return g.Columns == nil && len(g.Masks) == 0 }
	return t == nil || !v.readsWhole(t) && !slices.ContainsFunc(v.grants[table], allColumns)
}

func readDashboard(path string) (d api.Dashboard, err error) {
	f, err := os.Open(path)
	if err != nil {
		return d, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDashboardBytes+1))
	if err != nil {
		return d, err
	}
	if len(text) > maxDashboardBytes {
		return d, errors.New("the file is larger than 256 KB")
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return api.Dashboard{}, err
	}
	if len(d.Tables) == 0 {
		return api.Dashboard{}, errors.New("the file names no tables: whoever may read all columns of them sees the dashboard")
	}
	d.Sheet = text
	return d, nil
}
