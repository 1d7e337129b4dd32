package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/internal/guard/purse"
	"github.com/agnes-data/da/server/blob"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/server/fault"
	"github.com/agnes-data/da/server/resultset"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/workspace"
)

const (
	// A server alone may add to a conversation for holdTime. It renews that every renewTime while it is open.
	holdTime  = 30 * time.Second
	renewTime = 8 * time.Second
	// sweepTime is how old a content is that a sweep removes, and how often a user's are swept.
	sweepTime = 24 * time.Hour
	// deleteTime bounds one request to the blobs of a conversation.
	deleteTime = time.Minute
	// A server looks for deleted users every forgetTime. Their running requests may still
	// write, so it clears their blobs again every againTime.
	forgetTime = time.Minute
	againTime  = time.Hour
	// seeEvery is how often a server asks for changes of files, of all users who follow them in
	// one question, until nobody of a user has for followedFor.
	seeEvery    = 450 * time.Millisecond
	followedFor = 10 * time.Second
)

// central keeps the files and conversations of users where all servers find them. Without
// blobs nothing is kept there.
type central struct {
	state *state.Store
	blobs blob.Store

	mu    sync.Mutex
	swept map[string]time.Time // by owners of files

	// seen are the versions of the indexes of files that somebody follows, by owner, as they
	// were at seenAt. They are asked for every seeEvery.
	seeing   sync.Mutex
	seen     map[string]*seenIndex
	seenAt   time.Time
	seenErr  error
	seeEvery time.Duration
}

// seenIndex is the version of an index, and when somebody asked for it last.
type seenIndex struct {
	version string
	asked   time.Time
}

// announce tells the servers of the same state, if there can be any, what this one serves.
func (c *central) announce(ctx context.Context, served *core.Core) error {
	if c.state == nil {
		return nil
	}
	return served.Announce(ctx)
}

// files is where the files of an owner are; nil: in the folder of this server alone.
func (c *central) files(owner string) workspace.Shared {
	if c.blobs == nil {
		return nil
	}
	return centralFiles{c, owner, c.blobs.In("files").In(owner)}
}

// conversations is where those of a user are; nil: in the folder of this server alone.
func (c *central) conversations(owner string) conversation.Central {
	if c.blobs == nil {
		return nil
	}
	return centralTalks{c, owner, c.blobs.In("agent").In(owner)}
}

// store is where the conversations of a user are, with copies below dir.
func (c *central) store(dir, owner string, now func() time.Time) conversation.Store {
	return conversation.Store{Dir: state.UserFolder(dir, owner), Now: now, Central: c.conversations(owner)}
}

// keepForgetting removes what is kept of users who were deleted, until ctx is done.
func (c *central) keepForgetting(ctx context.Context, users *state.Store, results *resultset.Store, log *slog.Logger) {
	tick := time.NewTicker(forgetTime)
	defer tick.Stop()
	dropped, done := map[string]bool{}, map[string]time.Time{} // by owners of files
	for {
		gone, err := users.SweepDeleted(ctx)
		for _, d := range gone {
			if time.Since(done[d.Files]) < againTime {
				continue
			}
			if !dropped[d.Files] { // somebody else may have the name later
				results.DropAll(d.Name)
				dropped[d.Files] = true
			}
			var failed error
			if c.blobs != nil {
				failed = errors.Join(c.blobs.In("files").In(d.Files).Clear(ctx), c.blobs.In("agent").In(d.Folder).Clear(ctx))
			}
			if failed == nil {
				done[d.Files] = time.Now()
			}
			err = errors.Join(err, failed)
		}
		if err != nil && ctx.Err() == nil {
			log.Warn("cannot remove files of deleted users yet", "cause", fault.Cause(err))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

type centralFiles struct {
	*central
	owner string
	blobs blob.Store
}

// Index implements workspace.Shared.
func (f centralFiles) Index(ctx context.Context, known string) (string, []byte, error) {
	return f.state.Index(ctx, f.owner, known)
}

// Seen implements workspace.Shared.
func (f centralFiles) Seen(ctx context.Context) (string, error) {
	f.seeing.Lock()
	defer f.seeing.Unlock()
	now := time.Now()
	mine := f.seen[f.owner]
	if mine != nil && now.Sub(f.seenAt) < f.seeEvery {
		mine.asked = now
		return mine.version, f.seenErr
	}
	if mine == nil {
		mine = &seenIndex{}
	}
	mine.asked = now
	all := map[string]*seenIndex{f.owner: mine}
	for owner, other := range f.seen {
		if now.Sub(other.asked) < followedFor {
			all[owner] = other
		}
	}
	// The answer is shared by requests that wait for it, so it goes on when this request ends.
	versions, err := f.state.IndexVersions(context.WithoutCancel(ctx), slices.Collect(maps.Keys(all)))
	for owner, other := range all {
		other.version = versions[owner]
	}
	f.seen, f.seenAt, f.seenErr = all, time.Now(), err
	return mine.version, err
}

// ChangeIndex implements workspace.Shared.
func (f centralFiles) ChangeIndex(ctx context.Context, known string, change func(string, []byte) (string, []byte, error)) error {
	return f.state.ChangeIndex(ctx, f.owner, known, change)
}

// PutContent implements workspace.Shared.
func (f centralFiles) PutContent(ctx context.Context, name string, data io.ReaderAt, size int64) error {
	return f.blobs.Put(ctx, name, data, size)
}

// Content implements workspace.Shared.
func (f centralFiles) Content(ctx context.Context, name string) (io.ReadCloser, error) {
	return f.blobs.Open(ctx, name, 0)
}

// RemoveContent implements workspace.Shared.
func (f centralFiles) RemoveContent(ctx context.Context, name string) error {
	return f.blobs.Remove(ctx, name)
}

// SweepContents implements workspace.Shared. The time is that of the state, which may differ
// from that of the blobs by much less than a day.
func (f centralFiles) SweepContents(ctx context.Context, named func() (map[string]bool, error)) error {
	now := time.Now()
	f.mu.Lock()
	due := now.Sub(f.swept[f.owner]) > sweepTime
	if due {
		if f.swept == nil {
			f.swept = map[string]time.Time{}
		}
		f.swept[f.owner] = now
	}
	f.mu.Unlock()
	if !due {
		return nil
	}
	keep, err := named()
	if err != nil {
		return err
	}
	return f.blobs.Sweep(ctx, now.Add(-sweepTime), func(name string) bool { return keep[name] })
}

type centralTalks struct {
	*central
	owner string
	blobs blob.Store
}

// Sizes implements conversation.Central.
func (t centralTalks) Sizes() (map[string]int64, error) {
	return t.state.Conversations(context.Background(), t.owner)
}

// Log implements conversation.Central.
func (t centralTalks) Log(id string, from int64, f func(int64, []byte) error) error {
	return t.state.ConversationLog(context.Background(), t.owner, id, from, f)
}

// Hold implements conversation.Central.
func (t centralTalks) Hold(id, holder string, create bool) (release func(), err error) {
	hold := func(create bool) error {
		return t.state.HoldConversation(context.Background(), t.owner, id, holder, create, holdTime)
	}
	if err := hold(create); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	var renewal sync.WaitGroup
	renewal.Go(func() {
		tick := time.NewTicker(renewTime)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = hold(false) // Append says whether it is still held
			}
		}
	})
	return func() {
		stop()
		renewal.Wait()
		_ = t.state.ReleaseConversation(context.Background(), t.owner, id, holder) // if this fails, it ends by itself
	}, nil
}

// Append implements conversation.Central.
func (t centralTalks) Append(id, holder string, size int64, part []byte) (bool, error) {
	return t.state.AppendConversation(context.Background(), t.owner, id, holder, size, part)
}

// Delete implements conversation.Central.
func (t centralTalks) Delete(id string) error {
	ctx, cancel := context.WithTimeout(context.Background(), deleteTime)
	defer cancel()
	// before the row: if this fails, the next try still finds the conversation
	if err := t.blobs.In(id).Clear(ctx); err != nil {
		return err
	}
	if err := t.state.DeleteConversation(ctx, t.owner, id); err != nil {
		return err
	}
	return t.blobs.In(id).Clear(ctx) // what an answer that still ran has put there meanwhile
}

// shownName is the name of a blob: any name of a file is not.
func shownName(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:16]) + filepath.Ext(name)
}

// PutShown implements conversation.Central.
func (t centralTalks) PutShown(id, name string, data []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), deleteTime)
	defer cancel()
	blobs, size := t.blobs.In(id), int64(len(data))
	if err := blobs.Trim(ctx, conversation.MaxShown-size); err != nil {
		return err
	}
	return blobs.Put(ctx, shownName(name), bytes.NewReader(data), size)
}

// Shown implements conversation.Central.
func (t centralTalks) Shown(id, name string) ([]byte, error) {
	r, err := t.blobs.In(id).Open(context.Background(), shownName(name), 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// costs are those of the model for a user; nil: they are in the folder of this server.
func (c *central) costs(owner string) agenthttp.Costs {
	if c.blobs == nil {
		return nil
	}
	return centralCosts{c.state, owner}
}

type centralCosts struct {
	state *state.Store
	owner string
}

// Read implements agenthttp.Costs.
func (c centralCosts) Read() (purse.Today, error) {
	day, cost, err := c.state.ModelCost(context.Background(), c.owner)
	return purse.Today{Day: day, Cost: cost}, err
}

// Change implements agenthttp.Costs.
func (c centralCosts) Change(change func(*purse.Today) bool) (bool, error) {
	return c.state.ChangeModelCost(context.Background(), c.owner, func(day string, cost int64) (int64, bool) {
		today := purse.Today{Day: day, Cost: cost}
		changed := change(&today)
		return today.Cost, changed
	})
}
