package workspace

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/agnes-data/da/internal/disk/sqlitedb"
	"github.com/agnes-data/da/internal/disk/store"
)

// tables are those of the index that servers share, each behind those that it refers to.
var tables = []string{"contents", "agent_files", "file_versions", "drafts", "events", "changes"}

// image returns the index as other servers take it over.
func (w *Workspace) image(ctx context.Context) ([]byte, error) {
	folder, err := store.OpenFolder(filepath.Join(w.dir, "index"))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	file := filepath.Join(folder.Path, indexFile)
	if _, err := w.db.Write.ExecContext(ctx, "VACUUM INTO ?", file); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return packer.EncodeAll(data, nil), packer.Close()
}

// setAside keeps the files that this server had when it began to share another index.
func (w *Workspace) setAside(ctx context.Context) error {
	to := filepath.Join(w.dir, "alone-"+store.NewID())
	if err := os.MkdirAll(filepath.Join(to, dataDir), 0o700); err != nil {
		return err
	}
	if _, err := w.db.Write.ExecContext(ctx, "VACUUM INTO ?", filepath.Join(to, indexFile)); err != nil {
		return err
	}
	return sqlitedb.Each(ctx, w.db.Read, func(rows *sql.Rows) error {
		var path string
		err := rows.Scan(&path)
		link := os.Link(w.data.Path(path), filepath.Join(to, dataDir, path))
		if errors.Is(link, fs.ErrNotExist) { // the file is missing already
			link = nil
		}
		return errors.Join(err, link)
	}, "SELECT disk_path FROM contents")
}

// replace takes over the index of another server. An image whose last change is not version,
// such as an empty one, is an error.
func (w *Workspace) replace(ctx context.Context, v versions, version string, image []byte) error {
	folder, err := store.OpenFolder(filepath.Join(w.dir, "index"))
	if err != nil {
		return err
	}
	defer folder.Close()
	unpacker, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer unpacker.Close()
	data, err := unpacker.DecodeAll(image, nil)
	if err != nil {
		return fmt.Errorf("read version %s of the shared index: %w", version, err)
	}
	file := filepath.Join(folder.Path, indexFile)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	theirs, err := openIndex(file) // brings it up to date
	if err != nil {
		return err
	}
	var last string
	err = theirs.Read.QueryRowContext(ctx, "SELECT coalesce((SELECT id FROM changes ORDER BY seq DESC LIMIT 1), '')").Scan(&last)
	if err = errors.Join(err, theirs.Close()); err != nil {
		return err
	}
	if last != version {
		return fmt.Errorf("the shared index is damaged: it has version %q, not %q", last, version)
	}
	if v.alone {
		if err := w.setAside(ctx); err != nil {
			return err
		}
	}
	conn, err := w.db.Write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "ATTACH ? AS theirs", file); err != nil {
		return err
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "DETACH theirs") }()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, table := range slices.Backward(tables) {
		if err == nil {
			_, err = tx.ExecContext(ctx, "DELETE FROM main."+table)
		}
	}
	for _, table := range tables {
		if err == nil {
			_, err = tx.ExecContext(ctx, "INSERT INTO main."+table+" SELECT * FROM theirs."+table)
		}
	}
	if err == nil {
		err = publishedIs(ctx, tx, version)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
