// Package web holds the page that servers offer to browsers: its sources in
// src, and the bundles made of them in dist, which are embedded. It knows no
// server and nothing about data: the page asks for everything over HTTP.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"sync"
)

//go:generate go run ./bundle .

//go:embed dist
var dist embed.FS

// Asset is one file of the page.
type Asset struct {
	// Type is its media type.
	Type string
	// Data is the file, Gzipped the same compressed. Nobody may change them.
	Data, Gzipped []byte
}

// Index is the name of the page itself. Paths of all other assets hold the
// Version: scripts load each other by relative names, so all are of one version.
const Index = "index.html"

// Version returns the hash of all assets. A server that is upgraded has another
// one, so browsers may keep what they have loaded for ever.
var Version = sync.OnceValue(func() string {
	sum := sha256.New()
	_ = fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := dist.ReadFile(name)
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
		return err
	}) // embedded: it can be read
	return hex.EncodeToString(sum.Sum(nil)[:8])
})

// mediaType returns the media type of an asset, by its extension.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

// compressed keeps what has been asked for: a server that nobody opens the page
// of keeps nothing.
var compressed sync.Map // name: func() *Asset

// File returns an asset by its name; nil if there is none.
func File(name string) *Asset {
	if !fs.ValidPath(name) || path.Dir(name) != "." {
		return nil
	}
	if known, ok := compressed.Load(name); ok {
		return known.(func() *Asset)()
	}
	data, err := dist.ReadFile("dist/" + name)
	if err != nil {
		return nil
	}
	if name == Index {
		data = bytes.ReplaceAll(data, []byte("{{version}}"), []byte(Version()))
	}
	once, _ := compressed.LoadOrStore(name, sync.OnceValue(func() *Asset {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a level that exists
		_, _ = w.Write(data)                                  // memory takes it
		_ = w.Close()
		return &Asset{Type: mediaType(name), Data: data, Gzipped: b.Bytes()}
	}))
	return once.(func() *Asset)()
}
