// Package web holds the page that servers offer to browsers: its sources in
// src, and the bundles made of them in dist, which are embedded. It knows no
// server and nothing about data: the page asks for everything over HTTP.
package web

import (
	"bytes"
	"compress/gzip"
	"embed"
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

// Index is the name of the page itself. All other assets have names that change
// with their content.
const Index = "index.html"

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
	once, _ := compressed.LoadOrStore(name, sync.OnceValue(func() *Asset {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a level that exists
		_, _ = w.Write(data)                                  // memory takes it
		_ = w.Close()
		return &Asset{Type: mediaType(name), Data: data, Gzipped: b.Bytes()}
	}))
	return once.(func() *Asset)()
}
