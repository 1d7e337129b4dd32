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
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Bounds on the files of dashboards.
const (
	maxDashboards     = 200
	maxDashboardBytes = 256 << 10
)

var errTooMany = fmt.Errorf("this file and those after it are not read: only %d are shown", maxDashboards)

// Dashboards implements api.TablePager. It returns a dashboard of the instance's folder
// if the caller may read all columns of its tables, since its statements show names of
// columns and values. The folder is read at each call.
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
	return dashboardIn(text)
}

func dashboardIn(text []byte) (d api.Dashboard, err error) {
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

var dashboardID = lazyregexp.New(`^[a-z0-9][a-z0-9_-]{0,79}$`)

// dashboardPath is the file of a dashboard.
func (c *Core) dashboardPath(id string) (string, error) {
	if c.folder == "" {
		return "", &api.Error{Code: api.CodeBadRequest, Kind: api.KindNoFolder, Message: "the instance has no folder for dashboards",
			Hint: "The operator names one under 'dashboards' in the instance file."}
	}
	if !dashboardID().MatchString(id) {
		return "", &api.Error{Code: api.CodeBadRequest, Kind: api.KindParameter,
			Message: fmt.Sprintf("'%s' is not the id of a dashboard", api.Clip(id, 80)), Hint: "It has lower-case letters, digits, - and _."}
	}
	return filepath.Join(c.folder, id+".json"), nil
}

// PublishDashboard implements api.DashboardAdmin.
func (s *Session) PublishDashboard(ctx context.Context, req api.NewDashboard) (out *api.Dashboard, err error) {
	err = s.administer(ctx, "dashboard_publish", req.ID, func(context.Context) error {
		path, err := s.core.dashboardPath(req.ID)
		if err != nil {
			return err
		}
		d, err := dashboardIn(req.Sheet)
		if err != nil {
			return &api.Error{Code: api.CodeBadRequest, Kind: api.KindParameter,
				Message: "the sheet is not one of a dashboard: " + api.Clip(err.Error(), 300)}
		}
		if _, err := os.Lstat(path); err == nil && !req.Replace {
			return &api.Error{Code: api.CodeTargetExists, Kind: api.KindDashboardExists, Message: fmt.Sprintf("there is a dashboard '%s'", req.ID),
				Hint: "Choose another id, or replace it."}
		}
		if err := os.MkdirAll(s.core.folder, 0o750); err != nil {
			return atomicfile.Explain("publish the dashboard", err)
		}
		d.ID, out = req.ID, &d
		return atomicfile.Explain("publish the dashboard", atomicfile.WriteFile(path, req.Sheet, 0o640))
	})
	return out, err
}

// UnpublishDashboard implements api.DashboardAdmin.
func (s *Session) UnpublishDashboard(ctx context.Context, id string) error {
	return s.administer(ctx, "dashboard_unpublish", id, func(context.Context) error {
		path, err := s.core.dashboardPath(id)
		if err != nil {
			return err
		}
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return atomicfile.Explain("remove the dashboard", err)
		}
		return nil
	})
}
