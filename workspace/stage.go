package workspace

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/words/humanize"
)

// staged is a content that has been written completely and synced, under a
// temporary name.
type staged struct {
	owned *store.Owned
	size  int64
	sum   string
	head  []byte
	// shared says that the content was uploaded for the other servers. That happens before the
	// lock is taken, since it may take long.
	shared bool
	named  bool // a change of the index was begun that names it
}

// stage writes a new content. The caller releases it.
func (w *Workspace) stage(ctx context.Context, write func(io.Writer) error) (*staged, error) {
	owned, err := w.data.OwnTemp()
	if err != nil {
		return nil, err
	}
	s := &staged{owned: owned}
	if err := s.fill(ctx, w, write); err != nil {
		w.data.ReleaseTemp(owned)
		return nil, err
	}
	return s, nil
}

func (s *staged) fill(ctx context.Context, w *Workspace, write func(io.Writer) error) error {
	path := w.data.TempPath(s.owned.ID)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	counted := &counted{ctx: ctx, to: f, sum: sha256.New(), left: w.MaxFile, most: w.MaxFile}
	buffered := bufio.NewWriterSize(counted, 64<<10)
	if err = write(buffered); err == nil {
		err = buffered.Flush()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	s.size, s.sum, s.head = counted.size, hex.EncodeToString(counted.sum.Sum(nil)), counted.head
	if err := w.data.SyncData(path); err != nil || w.Shared == nil {
		return err
	}
	s.shared = true
	return w.putContent(ctx, path, sharedName(s.owned.ID, s.sum), s.size)
}

// release removes what no change of the index names.
func (s *staged) release(ctx context.Context, w *Workspace) {
	w.data.ReleaseTemp(s.owned)
	if s.shared && !s.named {
		// If this fails, SweepContents does it.
		_ = w.Shared.RemoveContent(context.WithoutCancel(ctx), sharedName(s.owned.ID, s.sum))
	}
}

// counted passes on what is written, up to the maximum size of a file.
type counted struct {
	ctx        context.Context //nolint:containedctx // lives as long as one write
	to         io.Writer
	sum        hash.Hash
	head       []byte
	size, left int64
	most       int64
}

// Write implements io.Writer.
func (c *counted) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	if int64(len(p)) > c.left {
		return 0, TooLarge(c.most)
	}
	if room := headBytes - len(c.head); room > 0 {
		c.head = append(c.head, p[:min(room, len(p))]...)
	}
	n, err := c.to.Write(p)
	_, _ = c.sum.Write(p[:n])
	c.size, c.left = c.size+int64(n), c.left-int64(n)
	return n, err
}

// TooLarge is the error of a content above the limit of one file, in bytes.
func TooLarge(limit int64) error {
	return &api.Error{Code: api.CodeTooLarge, Kind: api.KindFileSize,
		Message: fmt.Sprintf("the file has more than %s, the most that one file may have", humanize.Bytes(limit)),
		Hint:    "Nothing was stored. Split it, or raise the limit (files: max_file_mb in the config).",
		Details: map[string]any{"max_file_bytes": limit}}
}

// commit renames the content to its final name and records it in the index.
func (c *change) commit(s *staged, name string) (path, mime string, err error) {
	s.named = true
	path, mime = s.owned.ID, mimeOf(name, s.head, c.w.data.TempPath(s.owned.ID))
	if err := os.Rename(c.w.data.TempPath(path), c.w.data.Path(path)); err != nil {
		return "", "", err
	}
	c.placed = append(c.placed, path)
	c.w.Step(store.StepDataRenamed)
	if err := atomicfile.SyncDir(c.w.data.Dir); err != nil {
		return "", "", err
	}
	c.w.Step(store.StepDataSynced)
	_, err = c.Exec("INSERT INTO contents (disk_path, size, sha256, mime_type, shared) VALUES (?,?,?,?,?)", path, s.size, s.sum, mime, s.shared)
	return path, mime, err
}
