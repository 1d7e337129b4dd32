package serve

import (
	"context"

	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
)

// pageExamples is how many rows of each kind a comparison shows on the page.
const pageExamples = 50

// Snapshots implements httpapi.Snapshots.
func (d desk) Snapshots(context.Context) ([]api.PageSnapshot, error) {
	work, err := d.app.Analyst()
	if err != nil {
		return nil, err
	}
	metas, err := work.Store.List() // by name
	if err != nil {
		return nil, err
	}
	list := []api.PageSnapshot{}
	for _, m := range metas {
		s := api.PageSnapshot{Name: m.Name, TableID: m.TableID, Rows: m.Rows, Bytes: m.BytesLocal, Columns: m.Columns(),
			Select: m.Select, Where: m.Where, Limit: m.Limit, FetchedAt: m.FetchedAt, Pinned: m.Pinned, Note: m.Note, Tags: m.Tags,
			Caveats: []api.Caveat{}}
		if m.Damage != nil {
			s.Damage = m.Damage.Message
		} else {
			s.Earlier, s.Caveats = keep.Restorable(work, m.Name), keep.Caveats(work, m)
		}
		if path, imported := m.Imported(); imported {
			s.File = path
		}
		list = append(list, s)
	}
	return list, nil
}

// Keep implements httpapi.Snapshots.
func (d desk) Keep(ctx context.Context, req api.KeepSnapshot) (any, error) {
	work, err := d.app.Analyst()
	if err != nil {
		return nil, err
	}
	return fetch.Run(ctx, work, fetch.Request{Scan: req.Scan, Name: req.Name, Force: req.Replace})
}

// PriceRefresh implements httpapi.Snapshots.
func (d desk) PriceRefresh(ctx context.Context, name string) (any, error) {
	work, err := d.app.Analyst()
	if err != nil {
		return nil, err
	}
	return fetch.PriceRefresh(ctx, work, name)
}

// Refresh implements httpapi.Snapshots.
func (d desk) Refresh(ctx context.Context, name string) (any, error) {
	work, err := d.app.Analyst()
	if err != nil {
		return nil, err
	}
	return fetch.Refresh(ctx, work, fetch.RefreshRequest{Name: name})
}

// Restore implements httpapi.Snapshots.
func (d desk) Restore(ctx context.Context, name string) (any, error) {
	work, err := d.app.Analyst()
	if err != nil {
		return nil, err
	}
	return keep.Restore(ctx, work, name)
}

// Drop implements httpapi.Snapshots.
func (d desk) Drop(_ context.Context, name string) error {
	work, err := d.app.Analyst()
	if err != nil {
		return err
	}
	_, err = keep.Drop(work, name)
	return err
}

// Pin implements httpapi.Snapshots.
func (d desk) Pin(ctx context.Context, name string, pinned bool) error {
	work, err := d.app.Analyst()
	if err != nil {
		return err
	}
	_, err = work.Store.Label(ctx, name, func(l *snapshot.Labels) { l.Pinned = pinned })
	return err
}

// Compare implements httpapi.Snapshots.
func (d desk) Compare(ctx context.Context, req api.CompareSnapshots) (any, error) {
	work, err := d.app.Analyst()
	if err != nil {
		return nil, err
	}
	return keep.Compare(ctx, work, keep.DiffRequest{Before: req.Before, After: req.After, Key: req.Key, Examples: pageExamples})
}
