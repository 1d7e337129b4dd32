// Package lru is a cache that evicts what was used least recently. It must not know
// what it holds, nor when that becomes stale.
package lru

import (
	"container/list"
	"sync"
)

// Cache holds values by key, up to a number of entries and a total weight. It is
// safe for use by several goroutines.
type Cache[V any] struct {
	mu         sync.Mutex
	maxEntries int
	maxWeight  int
	weight     int
	byKey      map[string]*list.Element
	order      *list.List // of *entry[V], latest first
}

type entry[V any] struct {
	key    string
	value  V
	weight int
}

// New returns an empty cache.
func New[V any](maxEntries, maxWeight int) *Cache[V] {
	return &Cache[V]{maxEntries: maxEntries, maxWeight: maxWeight, byKey: map[string]*list.Element{}, order: list.New()}
}

// Get returns the value of a key, if it is there.
func (c *Cache[V]) Get(key string) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry[V]).value, true
}

// Put stores a value in the place of that key's, unless it exceeds the total weight
// by itself.
func (c *Cache[V]) Put(key string, value V, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		c.drop(e)
	}
	if weight > c.maxWeight {
		return
	}
	c.byKey[key] = c.order.PushFront(&entry[V]{key, value, weight})
	for c.weight += weight; c.weight > c.maxWeight || c.order.Len() > c.maxEntries; {
		c.drop(c.order.Back())
	}
}

// MaxWeight is the total weight that New was given.
func (c *Cache[V]) MaxWeight() int { return c.maxWeight }

// Len returns how many entries there are.
func (c *Cache[V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len()
}

// DeleteFunc removes the entries whose keys del reports.
func (c *Cache[V]) DeleteFunc(del func(key string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, e := range c.byKey {
		if del(key) {
			c.drop(e)
		}
	}
}

// drop removes an entry; the caller holds the lock.
func (c *Cache[V]) drop(e *list.Element) {
	dropped := e.Value.(*entry[V])
	c.order.Remove(e)
	delete(c.byKey, dropped.key)
	c.weight -= dropped.weight
}
