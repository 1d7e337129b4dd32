package httpapi

import (
	"context"
	"net/http"

	"github.com/agnes-data/da/api"
)

// snapshotRoutes are the routes of a desk's snapshots.
func snapshotRoutes() []route {
	const at = "/api/page/desk/snapshots"
	return []route{
		{http.MethodGet, at, user, (*call).deskSnapshots},
		{http.MethodPost, at, user, snapshotsFor(Snapshots.Keep)},
		{http.MethodPost, at + "/compare", user, snapshotsFor(Snapshots.Compare)},
		{http.MethodDelete, at + "/{name}", user, (*call).dropSnapshot},
		{http.MethodPut, at + "/{name}/pin", user, (*call).pinSnapshot},
		{http.MethodGet, at + "/{name}/price", user, snapshotNamed(Snapshots.PriceRefresh)},
		{http.MethodPost, at + "/{name}/refresh", user, snapshotNamed(Snapshots.Refresh)},
		{http.MethodPost, at + "/{name}/restore", user, snapshotNamed(Snapshots.Restore)},
	}
}

func (c *call) deskSnapshots() error {
	d, err := c.desk()
	if err != nil {
		return err
	}
	return answer(c, d.Snapshots)
}

// snapshotsFor serves what a request in the body asks of the snapshots.
func snapshotsFor[T any](do func(Snapshots, context.Context, T) (any, error)) func(*call) error {
	return func(c *call) error {
		d, err := c.desk()
		if err != nil {
			return err
		}
		var req T
		if err := c.body(&req); err != nil {
			return err
		}
		return answer(c, func(ctx context.Context) (any, error) {
			done, err := do(d, ctx, req)
			return done, atDesk(err)
		})
	}
}

// snapshotNamed serves what is asked of the snapshot in the path.
func snapshotNamed(do func(Snapshots, context.Context, string) (any, error)) func(*call) error {
	return func(c *call) error {
		d, name, err := c.deskSnapshot()
		if err != nil {
			return err
		}
		return answer(c, func(ctx context.Context) (any, error) {
			done, err := do(d, ctx, name)
			return done, atDesk(err)
		})
	}
}

// deskSnapshot returns the desk and the name of a snapshot in the path.
func (c *call) deskSnapshot() (Desk, string, error) {
	d, err := c.desk()
	if err != nil {
		return nil, "", err
	}
	name := c.r.PathValue("name")
	return d, name, api.CheckName("snapshot name", name)
}

func (c *call) dropSnapshot() error {
	d, name, err := c.deskSnapshot()
	if err != nil {
		return err
	}
	return c.done(atDesk(d.Drop(c.r.Context(), name)))
}

func (c *call) pinSnapshot() error {
	d, name, err := c.deskSnapshot()
	if err != nil {
		return err
	}
	var req api.PinSnapshot
	if err := c.body(&req); err != nil {
		return err
	}
	return c.done(atDesk(d.Pin(c.r.Context(), name, req.Pinned)))
}
