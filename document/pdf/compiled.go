package pdf

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
)

// caches holds the compiled libraries by folder. Compiling is slow, so it is done
// only once.
var caches = struct {
	sync.Mutex
	byDir map[string]wazero.CompilationCache
}{byDir: map[string]wazero.CompilationCache{}}

func cacheIn(dir string) (wazero.CompilationCache, error) {
	caches.Lock()
	defer caches.Unlock()
	if c := caches.byDir[dir]; c != nil {
		return c, nil
	}
	c := wazero.NewCompilationCache()
	if dir != "" {
		if err := private(dir); err != nil {
			return nil, err
		}
		var err error
		if c, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			return nil, err
		}
	}
	caches.byDir[dir] = c
	return c, nil
}

var errForeign = errors.New("the folder is another user's")

// private creates the folder, or makes sure that only the user can have written
// what is in it: it is machine code that this process will run.
func private(dir string) error {
	if info, err := os.Lstat(dir); err == nil && (!info.IsDir() || info.Mode().Perm()&0o022 != 0) {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return errForeign
	}
	return nil
}

// load loads the library, and compiles it if the folder does not have it. A cache
// costs time only: if the library cannot be loaded from it, for example because
// its file is damaged, the cache is emptied and the library compiled in memory.
func load(ctx context.Context, cacheDir string) (pdfium.Pool, error) {
	if cacheDir != "" {
		if cache, err := cacheIn(cacheDir); err == nil {
			pool, err := initialize(ctx, cache)
			if err == nil || ctx.Err() != nil {
				return pool, err
			}
			forget(cacheDir)
		}
	}
	cache, err := cacheIn("")
	if err != nil {
		return nil, err
	}
	return initialize(ctx, cache)
}

func initialize(ctx context.Context, cache wazero.CompilationCache) (pdfium.Pool, error) {
	return webassembly.Init(webassembly.Config{
		Context: ctx, MaxTotal: 1, Stdout: io.Discard, Stderr: io.Discard,
		FSConfig:      wazero.NewFSConfig(), // empty: without it, the whole disk is mounted
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache).WithMemoryLimitPages(memoryPages).WithCloseOnContextDone(true),
	})
}

// forget empties a cache. The next call that wants it fills it anew.
func forget(dir string) {
	caches.Lock()
	defer caches.Unlock()
	delete(caches.byDir, dir) // not closed: others may be using it
	_ = os.RemoveAll(dir)     // what stays is found damaged again
}
