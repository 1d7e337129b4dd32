// Package journal knows what command lines of da name, and keeps what ran in a session.
// It runs nothing.
package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/analyst/results"
	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/snapshot"
)

const (
	// mostHashed is the size up to which the whole of a file is hashed.
	mostHashed = 256 << 20
	// mostRead is the size up to which a text is searched for names.
	mostRead = 1 << 20
)

// Places says where what a command line names can be.
type Places struct {
	Dir     string // of paths
	Store   *snapshot.Store
	Synced  *synced.Store
	Results *results.Store
}

// Named are the files, snapshots, synced tables and kept results that a command line
// names, each with a hash of what it holds. A key is the kind and the name, as in
// "snapshot late" or "file /tmp/sales.csv".
type Named map[string]string

// Keys returns the names, sorted.
func (n Named) Keys() []string { return slices.Sorted(maps.Keys(n)) }

// word matches what can be the name of a snapshot, table or kept result in any text.
var word = lazyregexp.New(`@?[A-Za-z0-9_.\-]+`)

// texts are the files in which names can stand, by their extensions.
var texts = []string{".sql", ".yaml", ".yml", ".json", ".txt", ".md"}

// NamesIn returns the files, snapshots and results that a command line names, also in the
// text files among its arguments. It finds too many rather than too few: a word of a text
// may happen to be the name of a snapshot.
func (p Places) NamesIn(words []string) Named {
	found := Named{}
	search := slices.Clone(words)
	for _, w := range words {
		for _, path := range p.files(w) {
			info, err := os.Stat(path)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			found["file "+path] = hashOf(path, info)
			if slices.Contains(texts, filepath.Ext(path)) && info.Size() <= mostRead {
				if text, err := os.ReadFile(path); err == nil {
					search = append(search, string(text))
				}
			}
		}
	}
	maps.Copy(found, p.Kept().In(search...))
	return found
}

// In returns what of this the texts name.
func (n Named) In(texts ...string) Named {
	said := map[string]bool{}
	for _, text := range texts {
		for _, w := range word().FindAllString(text, -1) {
			said[strings.ToLower(w)] = true
			for part := range strings.SplitSeq(w, ".") { // late.delay
				said[strings.ToLower(part)] = true
			}
		}
	}
	found := Named{}
	for key, hash := range n {
		if _, name, _ := strings.Cut(key, " "); said[strings.ToLower(name)] {
			found[key] = hash
		}
	}
	return found
}

// files are the paths that a word can mean: itself, or the value of a flag. The {n} of
// an output stands for any number.
func (p Places) files(w string) (paths []string) {
	_, value, _ := strings.Cut(w, "=")
	for _, path := range []string{w, value} {
		if path == "" || len(path) > 4096 || strings.ContainsRune(path, 0) {
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.Dir, path)
		}
		if strings.Contains(path, "{n}") {
			many, _ := filepath.Glob(strings.ReplaceAll(path, "{n}", "[0-9]*"))
			paths = append(paths, many...)
			continue
		}
		paths = append(paths, path)
	}
	return paths
}

// Kept returns all that is kept here, whether it is named or not.
func (p Places) Kept() Named {
	all := Named{}
	metas, _ := p.Store.List() // a damaged store fails the command itself
	for _, m := range metas {
		all["snapshot "+m.Name] = m.ContentHash
	}
	for _, m := range p.Synced.List() {
		all["table "+m.TableID] = m.XXH3
	}
	for _, m := range p.Results.List() {
		all["result "+m.Name] = fmt.Sprintf("%d bytes of %s", m.Bytes, m.CreatedAt.UTC().Format(instant))
	}
	return all
}

// instant is how times are written before they are hashed.
const instant = "2006-01-02T15:04:05.000Z"

// hashOf returns the hash of a file's bytes, and of a very large file its size and time.
func hashOf(path string, info os.FileInfo) string {
	if info.Size() > mostHashed {
		return fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format(instant))
	}
	f, err := os.Open(path)
	if err != nil {
		return "unread"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unread"
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
