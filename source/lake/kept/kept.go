// Package kept keeps on disk what is known of unchanged files, so that a process
// that has just started can answer without reading them. It must not decide
// whether files are unchanged: its callers' keys do, which hold the versions.
package kept

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/agnes-data/da/internal/disk/store"
)

const (
	// MaxRecord limits a record, in bytes of JSON.
	MaxRecord = 4 << 20

	keyDigits = 32
	// patience is how long to wait for another process that is saving.
	patience = 100 * time.Millisecond
)

// budget bounds all records together; the oldest go first.
var budget = store.Budget{Count: 1000, Bytes: 64 << 20}

// Records are the records in a folder. Nothing depends on them: what is missing
// or damaged is as if it had never been saved. Nil has none, and keeps none.
type Records struct{ files *store.Store }

// Open returns the records in a folder, which is made by the first of them; nil if
// dir is empty. Other processes can use the same folder.
func Open(dir string) *Records {
	if dir == "" {
		return nil
	}
	return &Records{&store.Store{
		Dir: dir, RecordExt: ".json", MaxRecord: MaxRecord + 2*sha256.Size + 1,
		Name: func(name string) bool { return store.IsHex(name, keyDigits) },
	}}
}

// name is that of a record's file. The parts of a key may be any texts.
func name(key []string) string { return digest(strings.Join(key, "\x00"))[:keyDigits] }

// Load reads a record into a zero value. It reports whether there is one.
func (r *Records) Load(into any, key ...string) bool {
	if r == nil {
		return false
	}
	return r.files.Read(name(key), func(record []byte) (store.Data, error) {
		sum, data, _ := strings.Cut(string(record), "\n")
		if sum != digest(data) {
			return store.Data{}, fs.ErrInvalid
		}
		return store.Data{}, json.Unmarshal([]byte(data), into)
	}) == nil
}

// Save keeps a record; an error says that it does not. Records that are too large
// and those that JSON would change are not kept.
func (r *Records) Save(record any, key ...string) error {
	if r == nil {
		return nil
	}
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	again := reflect.New(reflect.TypeOf(record))
	if err := json.Unmarshal(data, again.Interface()); err != nil {
		return err
	}
	if len(data) > MaxRecord || !reflect.DeepEqual(again.Elem().Interface(), record) {
		return fs.ErrInvalid
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock, err := r.files.Lock(ctx, store.Alone)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	r.files.Tidy(nil)
	text := digest(string(data)) + "\n" + string(data)
	if err := r.files.Commit(store.Change{Name: name(key), Record: []byte(text)}); err != nil {
		return err
	}
	return r.evict()
}

// evict removes the oldest records if there are too many.
func (r *Records) evict() error {
	names, err := r.files.Names()
	if err != nil {
		return err
	}
	var items []store.Item
	for _, name := range names {
		if info, err := os.Lstat(r.files.RecordPath(name)); err == nil {
			items = append(items, store.Item{Name: name, Bytes: info.Size(), Used: info.ModTime()})
		}
	}
	_, err = store.Evict(items, budget, func(x store.Item) (bool, error) { return true, r.files.Remove(x.Name) })
	return err
}

func digest(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}
