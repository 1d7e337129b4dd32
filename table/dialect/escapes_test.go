package dialect

import "testing"

// TestEscapes gives texts to Escapes in pieces of all sizes.
func TestEscapes(t *testing.T) {
	for _, c := range []struct {
		text        string
		sure, nulls bool
	}{
		{"", false, false},
		{"a\tb\n", false, false},
		{"a\\tb\tc\n", true, false},
		{"\\N\t1\n2\t\\N", true, true},
		{"1\t\\N\r\n", true, true},
		{"a\\Nb\t1\n", false, false},
		{"\\Nb\t1\n", false, false},
		{"\\N\\N\t1\n", false, false},
		{"C:\\new\tx\n", false, false},
		{"C:\\new\t\\N\n", true, true},
		{"C:\\\\new\tx\n", true, false},
		{"a\\d\t\\N\n", false, false},
		{"a\tb\\", false, false},
		{"\\\\N\tb", true, false},
	} {
		for size := 1; size <= len(c.text)+1; size++ {
			e := &Escapes{}
			for rest := []byte(c.text); len(rest) > 0; {
				n := min(size, len(rest))
				if _, err := e.Write(rest[:n]); err != nil {
					break
				}
				rest = rest[n:]
			}
			if e.sure() != c.sure || c.sure && e.nulls != c.nulls {
				t.Errorf("%q in pieces of %d: %v, %v", c.text, size, e.sure(), e.nulls)
			}
		}
	}
}
