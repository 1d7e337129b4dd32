package lake

import (
	"container/list"
	"sync"
)

// lru caches values up to a total weight, and evicts the least recently used.
type lru[V any] struct {
	mu    sync.Mutex
	max   int
	total int
	byKey map[string]*list.Element
	order *list.List // of *weighed[V], latest first
}

type weighed[V any] struct {
	key    string
	value  V
	weight int
}

func newLRU[V any](limit int) *lru[V] {
	return &lru[V]{max: limit, byKey: map[string]*list.Element{}, order: list.New()}
}

func (c *lru[V]) get(key string) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*weighed[V]).value, true
}

// put stores a value, unless it exceeds the total weight by itself.
func (c *lru[V]) put(key string, value V, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		c.drop(e)
	}
	if weight > c.max {
		return
	}
	c.byKey[key] = c.order.PushFront(&weighed[V]{key, value, weight})
	for c.total += weight; c.total > c.max; {
		c.drop(c.order.Back())
	}
}

func (c *lru[V]) drop(e *list.Element) {
	w := e.Value.(*weighed[V])
	c.order.Remove(e)
	delete(c.byKey, w.key)
	c.total -= w.weight
}
