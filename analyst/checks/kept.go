package checks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// ReadPath is the file that keeps the parsed checks of the file at path; it need not exist.
func ReadPath(path string) string { return path + ".json" }

// read has parsed checks. It is kept since parsing YAML takes longer than most checks.
type read struct {
	Of     string `json:"of"` // hash of the text
	Checks Table  `json:"checks"`
}

// Kept reads the checks that new rows must pass before they replace the old ones. It returns
// nil if no checks are kept at the path.
func Kept(path string) (*Table, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // none are kept
	}
	if err != nil {
		return nil, atomicfile.Explain("read the checks of the rows", err)
	}
	was, of := read{}, fmt.Sprintf("%x", xxh3.Hash128(text).Bytes())
	if kept, err := os.ReadFile(ReadPath(path)); err == nil {
		d := json.NewDecoder(bytes.NewReader(kept))
		d.UseNumber()
		if d.Decode(&was) == nil && was.Of == of {
			return &was.Checks, nil
		}
	}
	f, err := ReadFile(path, string(text))
	if err != nil {
		return nil, err
	}
	for _, t := range f.Tables { // the one that the file is of, whatever its name was
		if kept, err := json.Marshal(read{of, t}); err == nil {
			_ = atomicfile.WriteFile(ReadPath(path), kept, 0o600) // else it is read again
		}
		return &t, nil
	}
	return nil, nil //nolint:nilnil // ReadFile refuses a file without tables
}

// Keep writes the file of these checks; nil removes it.
func Keep(path string, text []byte) error {
	if text == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return atomicfile.Explain("forget the checks", err)
		}
		return nil
	}
	err := store.MakeDir(filepath.Dir(path))
	if err == nil {
		err = atomicfile.WriteFile(path, text, 0o600)
	}
	return atomicfile.Explain("keep the checks", err)
}
