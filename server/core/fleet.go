package core

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/server/blob"
	"github.com/agnes-data/da/server/fault"
	"github.com/agnes-data/da/server/state"
)

// lastStarted is the kind under which the state keeps what its servers have to have in common,
// as the server has it that started last.
const lastStarted = "started"

// Announce tells the other servers of the state which tables and limits this one has.
func (c *Core) Announce(ctx context.Context) error {
	data, err := c.common()
	if err != nil {
		return err
	}
	return c.state.ChangeKnown(ctx, lastStarted, lastStarted, func(*state.Known) (*state.Known, error) {
		return &state.Known{Kind: lastStarted, Name: lastStarted, Data: data}, nil
	})
}

// common is a hash of what all servers of a state have to take from one instance file.
func (c *Core) common() (string, error) {
	var tables []config.Table
	for _, t := range c.byID {
		tables = append(tables, t.Table)
	}
	slices.SortFunc(tables, func(a, b config.Table) int { return cmp.Compare(a.ID, b.ID) })
	text, err := json.Marshal(map[string]any{"tables": tables, "limits": c.limits})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// instanceCheck compares the instance file with that of the server that started last. Without
// other servers there is no check.
func (c *Core) instanceCheck(ctx context.Context) (check api.HealthCheck, err error) {
	all, err := c.state.Known(ctx, lastStarted)
	if err != nil || len(all) == 0 {
		return check, err
	}
	data, err := c.common()
	check = api.HealthCheck{Name: "instance", Status: api.CheckOK, Says: "tables and limits are those of the server that started last"}
	if all[0].Data != data {
		check.Status, check.Says = api.CheckWarning, "another server on this state, which started later, has other tables or limits"
		check.Fix = "Give all servers the same instance file, and restart those that had another."
	}
	return check, err
}

// blobsCheck writes to the place where servers keep files for each other, if there is one.
func (c *Core) blobsCheck(ctx context.Context) (check api.HealthCheck, err error) {
	if c.shared.blobs == nil {
		return check, nil
	}
	check = api.HealthCheck{Name: "blobs", Status: api.CheckOK, Says: "can be written"}
	name := strings.Repeat("0", 32) + ".check"
	err = c.shared.blobs.Put(ctx, name, strings.NewReader("x"), 1)
	if err == nil {
		err = c.shared.blobs.Remove(ctx, name)
	}
	if err != nil {
		check.Status, check.Says = api.CheckFailed, "cannot be written: "+fault.Cause(err)
		check.Fix = "Look at server.blobs in the instance file: the folder, or the bucket and what its key may do."
	}
	return check, nil
}

// ExplainBlobs returns a store whose failures tell what to do: as CodeUnavailable, but for
// fs.ErrNotExist and what the caller has ended.
func ExplainBlobs(s blob.Store) blob.Store { return explained{s} }

type explained struct{ blob.Store }

func (e explained) Put(ctx context.Context, name string, data io.ReaderAt, size int64) error {
	return explainBlobs(ctx, e.Store.Put(ctx, name, data, size))
}

func (e explained) Open(ctx context.Context, name string, from int64) (io.ReadCloser, error) {
	r, err := e.Store.Open(ctx, name, from)
	return r, explainBlobs(ctx, err)
}

func (e explained) Trim(ctx context.Context, most int64) error {
	return explainBlobs(ctx, e.Store.Trim(ctx, most))
}

func (e explained) Clear(ctx context.Context) error { return explainBlobs(ctx, e.Store.Clear(ctx)) }

func (e explained) In(path string) blob.Store { return explained{e.Store.In(path)} }

func explainBlobs(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil {
		return err
	}
	return &api.Error{Code: api.CodeUnavailable, Kind: api.KindState, Err: err,
		Message: "the server cannot use the place where it keeps files for its other servers",
		Hint:    "Nothing was changed; try again later. Its operator looks at server.blobs in the instance file, and at the server's log."}
}
