package core

import (
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/agnes-data/da/internal/lru"
)

// cache holds values that expire. It is only read after the caller has been
// authorised, and its keys contain everything that the value depends on.
type cache[V any] struct {
	ttl     time.Duration
	now     func() time.Time
	values  *lru.Cache[timed[V]]
	reading atomic.Pointer[singleflight.Group] // a new one whenever something was removed on demand
}

type timed[V any] struct {
	value   V
	expires time.Time
}

func newCache[V any](ttl time.Duration, maxEntries int, maxBytes int64, now func() time.Time) *cache[V] {
	c := &cache[V]{ttl: ttl, now: now, values: lru.New[timed[V]](maxEntries, int(maxBytes))}
	c.reading.Store(&singleflight.Group{})
	return c
}

func (c *cache[V]) get(key string) (v V, ok bool) {
	t, ok := c.values.Get(key)
	if !ok || !c.now().Before(t.expires) {
		return v, false
	}
	return t.value, true
}

// getOrRead returns the value of key. If it is missing, it returns what read
// returns, which puts it here. Callers who miss it at the same time share one read.
func (c *cache[V]) getOrRead(key string, read func() (V, error)) (V, error) {
	if v, ok := c.get(key); ok {
		return v, nil
	}
	if c.ttl <= 0 {
		return read()
	}
	v, err, shared := c.reading.Load().Do(key, func() (any, error) {
		if v, ok := c.get(key); ok { // read since we looked
			return v, nil
		}
		return read()
	})
	if err == nil {
		return v.(V), nil
	}
	if shared { // the request that read for all may have been stopped
		return read()
	}
	var zero V
	return zero, err
}

// put stores value, whose size in memory is about bytes. A value larger than the
// whole cache is not stored.
func (c *cache[V]) put(key string, value V, bytes int64) {
	if c.ttl > 0 {
		c.values.Put(key, timed[V]{value, c.now().Add(c.ttl)}, int(bytes))
	}
}

func (c *cache[V]) clear() { c.drop("") }

// drop removes the entries whose key begins with prefix.
func (c *cache[V]) drop(prefix string) {
	c.values.DeleteFunc(func(key string) bool { return strings.HasPrefix(key, prefix) })
	c.reading.Store(&singleflight.Group{})
}
