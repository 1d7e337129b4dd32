package core

import (
	"container/list"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// cache is an LRU map with expiry, limited by entries and by bytes. It is only
// read after the caller has been authorised, and its keys contain everything that
// the value depends on.
type cache[V any] struct {
	mu         sync.Mutex
	ttl        time.Duration
	maxEntries int
	maxBytes   int64
	bytes      int64
	now        func() time.Time
	order      *list.List // of *entry[V], most recently used first
	byKey      map[string]*list.Element
	reading    *singleflight.Group // a new one whenever something was removed on demand
}

type entry[V any] struct {
	key     string
	value   V
	bytes   int64
	expires time.Time
}

func newCache[V any](ttl time.Duration, maxEntries int, maxBytes int64, now func() time.Time) *cache[V] {
	return &cache[V]{
		ttl: ttl, maxEntries: maxEntries, maxBytes: maxBytes, now: now,
		order: list.New(), byKey: map[string]*list.Element{}, reading: &singleflight.Group{},
	}
}

func (c *cache[V]) get(key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var zero V
	el, ok := c.byKey[key]
	if !ok {
		return zero, false
	}
	e := el.Value.(*entry[V])
	if !c.now().Before(e.expires) {
		c.remove(el)
		return zero, false
	}
	c.order.MoveToFront(el)
	return e.value, true
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
	c.mu.Lock()
	reading := c.reading
	c.mu.Unlock()
	v, err, shared := reading.Do(key, func() (any, error) {
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
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[key]; ok {
		c.remove(el)
	}
	if c.ttl <= 0 || bytes > c.maxBytes {
		return
	}
	c.byKey[key] = c.order.PushFront(&entry[V]{key, value, bytes, c.now().Add(c.ttl)})
	c.bytes += bytes
	for c.order.Len() > c.maxEntries || c.bytes > c.maxBytes {
		c.remove(c.order.Back())
	}
}

func (c *cache[V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.Init()
	c.byKey = map[string]*list.Element{}
	c.bytes = 0
	c.reading = &singleflight.Group{}
}

// drop removes the entries whose key begins with prefix.
func (c *cache[V]) drop(prefix string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, el := range c.byKey {
		if strings.HasPrefix(key, prefix) {
			c.remove(el)
		}
	}
	c.reading = &singleflight.Group{}
}

// remove drops an element; the caller holds the lock.
func (c *cache[V]) remove(el *list.Element) {
	e := el.Value.(*entry[V])
	c.order.Remove(el)
	delete(c.byKey, e.key)
	c.bytes -= e.bytes
}
