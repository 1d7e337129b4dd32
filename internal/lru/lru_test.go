package lru_test

import (
	"testing"

	"github.com/agnes-data/da/internal/lru"
)

func TestLRU(t *testing.T) {
	c := lru.New[int](3, 10)
	has := func(keys ...string) {
		t.Helper()
		for _, k := range []string{"a", "b", "c", "d"} {
			_, ok := c.Get(k)
			want := false
			for _, w := range keys {
				want = want || w == k
			}
			if ok != want {
				t.Errorf("%s is there: %t", k, ok)
			}
		}
	}
	c.Put("a", 1, 4)
	c.Put("b", 2, 4)
	if v, ok := c.Get("a"); v != 1 || !ok {
		t.Error(v, ok)
	}
	c.Put("c", 3, 4) // b was asked for longest ago
	has("a", "c")
	c.Put("a", 5, 1)
	c.Put("d", 4, 5)
	has("a", "c", "d")
	c.Put("b", 6, 11) // more than all
	has("a", "c", "d")
	if v, _ := c.Get("a"); v != 5 {
		t.Errorf("a is %d", v)
	}
	c.Put("e", 7, 0) // one entry too many: c was asked for longest ago
	has("a", "d")
	c.DeleteFunc(func(key string) bool { return key == "a" })
	has("d")
	if c.Len() != 2 {
		t.Errorf("%d entries", c.Len())
	}
}
