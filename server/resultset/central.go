package resultset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/server/blob"
)

// Share keeps results where the other servers find them. Call it before the first result.
func (s *Store) Share(blobs blob.Store) { s.blobs = blobs }

// sharedSet is what other servers know of a result, beside its file.
type sharedSet struct {
	Owner   Owner            `json:"owner"`
	Columns []api.PageColumn `json:"columns"`
	Rows    int64            `json:"rows"`
	Caveats []api.Caveat     `json:"caveats"`
	Types   []string         `json:"types"`
	Bytes   int64            `json:"bytes"`
}

// blobName names a blob of a result. It is a hash, so that it does not tell the id.
func blobName(id, ext string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:]) + ext
}

// put shares a result that is whole: its record comes last.
func (s *Store) put(ctx context.Context, set *Set) error {
	if s.blobs == nil {
		return nil
	}
	record, err := json.Marshal(sharedSet{set.owner, set.Columns, set.Rows, set.Caveats, set.types, set.bytes})
	if err != nil {
		return err
	}
	file, err := os.Open(set.path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := s.blobs.Put(ctx, blobName(set.ID, ".db"), file, set.bytes); err != nil {
		return err
	}
	return s.blobs.Put(ctx, blobName(set.ID, ".json"), bytes.NewReader(record), int64(len(record)))
}

// take copies a result of the owner that another server has made. Those who ask for it
// meanwhile wait.
func (s *Store) take(id string, owner Owner) (*Set, error) {
	if s.blobs == nil {
		return nil, errGone
	}
	taken, err, _ := s.taking.Do(fmt.Sprintf("%q", []string{id, owner.User, owner.Access}), func() (any, error) {
		s.mu.Lock()
		set := s.sets[id]
		s.mu.Unlock()
		if set != nil && set.owner == owner {
			return set, nil
		}
		return s.copied(id, owner)
	})
	if err != nil {
		return nil, err
	}
	return taken.(*Set), nil
}

func (s *Store) copied(id string, owner Owner) (*Set, error) {
	ctx, cancel := context.WithTimeout(context.Background(), shareTime)
	defer cancel()
	in, err := s.blobs.Open(ctx, blobName(id, ".json"), 0)
	if err != nil {
		return nil, errGone
	}
	defer in.Close()
	var known sharedSet
	if err := json.NewDecoder(in).Decode(&known); err != nil || known.Owner != owner {
		return nil, errGone
	}
	db, name, err := s.begin()
	if err != nil {
		return nil, err
	}
	set := &Set{ID: id, Columns: known.Columns, Rows: known.Rows, Caveats: known.Caveats, owner: owner, store: s, db: db, name: name,
		path: filepath.Join(s.dir, name+".db"), types: known.Types, bytes: known.Bytes}
	if err := s.copyTo(ctx, set); err != nil {
		set.remove()
		return nil, err
	}
	s.endAll(s.add(set))
	return set, nil
}

// copyTo copies the file of a result here.
func (s *Store) copyTo(ctx context.Context, set *Set) error {
	in, err := s.blobs.Open(ctx, blobName(set.ID, ".db"), 0)
	if err != nil {
		return errGone
	}
	defer in.Close()
	out, err := os.OpenFile(set.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if n != set.bytes {
		return errGone
	}
	c, err := set.db.Conn()
	if err != nil {
		return err
	}
	return errors.Join(c.Exec(ctx, "ATTACH "+duckdb.PathLiteral(set.path)+" AS "+set.name), c.Close())
}

// unshare removes what other servers find of a result.
func (s *Store) unshare(id string) {
	if s.blobs == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), shareTime)
	defer cancel()
	for _, ext := range []string{".json", ".db"} {
		_ = s.blobs.Remove(ctx, blobName(id, ext)) // if this fails, a sweep removes it
	}
}
