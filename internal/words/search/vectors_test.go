package search

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// sales is a catalog in which another word is used for takings.
func sales() *Index {
	x := NewIndex()
	x.Declare(Declared{ID: "sales"})
	x.Learn("sales", Learnt{Columns: []api.Column{{Name: "amount"}, {Name: "garment"}}})
	x.Declare(Declared{ID: "pay"})
	x.Learn("pay", Learnt{Columns: []api.Column{{Name: "earnings"}}})
	return x
}

// TestWordsOfSimilarMeaningAreFound: the nearest by their vectors, which a match says, of
// what the caller sees alone.
func TestWordsOfSimilarMeaningAreFound(t *testing.T) {
	v, err := ReadVectors("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ask := func(x *Index, query string, hidden string) string {
		got := x.Search(query, 10, false, func(id string) Sight { return Sight{Any: id != hidden, Whole: id != hidden} })
		found = nil
		for _, f := range got.Found {
			found = append(found, f.ID+" "+f.Matches[0].Where())
		}
		return strings.Join(append(found, api.Texts(got.Caveats)...), ", ")
	}
	early, late := sales(), NewIndex()
	early.Mean(v)
	late.Mean(v)
	for _, l := range []string{"pay", "sales"} {
		late.Declare(Declared{ID: l})
		late.Learn(l, Learnt{Columns: map[string][]api.Column{"sales": {{Name: "amount"}, {Name: "garment"}}, "pay": {{Name: "earnings"}}}[l]})
	}
	for _, x := range []*Index{early, late} {
		for query, want := range map[string]string{
			"takings":  "sales id (takings ~ sales), pay column earnings (takings ~ earnings)",
			"Procéeds": "sales id (proceeds ~ sales)",
			"clothing": "sales column garment (clothing ~ garment)",
			"weather":  "",         // no word of the catalog is near
			"sales":    "sales id", // the word itself
			"earnigns": "pay column earnings, no table has 'earnigns': 'earnings' was searched instead",
		} {
			if got := ask(x, query, ""); got != want {
				t.Errorf("%s: %q, not %q", query, got, want)
			}
		}
		if got := ask(x, "takings", "sales"); got != "pay column earnings (takings ~ earnings)" {
			t.Errorf("of what is seen: %q", got)
		}
	}
	if got := ask(sales(), "takings", ""); got != "" {
		t.Errorf("without vectors: %q", got)
	}
}

// TestFilesOfVectors reads both formats, packed or not. An error names its line.
func TestFilesOfVectors(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct{ text, want string }{
		{"a 1 0\nb 0 1\n", "2 of 2"}, {"2 2\na 1 0\nb 0 1\n", "2 of 2"}, {"a 1 0\na 0 1\n, 1 1\nnew_york 1 1\nnil 0 0\n", "1 of 2"},
		{"a 1 0\nb 1\n", "line 2: 1 numbers behind a word, where the first has 2"}, {"a 1 x\n", `line 1: "x" is not a number`},
		{"a NaN 1\n", `line 1: "NaN" is not a number`}, {"", "it has no vectors"}, {strings.Repeat("a", maxVectorLine+1), "bufio.Scanner: token too long"},
	} {
		for _, end := range []string{"", ".gz"} {
			path := filepath.Join(dir, fmt.Sprint(i, end))
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			out := io.WriteCloser(f)
			if end != "" {
				out = gzip.NewWriter(f)
			}
			if _, err = io.WriteString(out, c.text); err == nil {
				err = out.Close()
			}
			if end != "" {
				f.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			v, err := ReadVectors(path)
			got := fmt.Sprint(err)
			if err == nil {
				got = fmt.Sprintf("%d of %d", len(v.at), v.size)
			}
			if got != c.want {
				t.Errorf("%q%s: %s, not %s", c.text[:min(len(c.text), 30)], end, got, c.want)
			}
		}
	}
	if _, err := ReadVectors(filepath.Join(dir, "0.gz") + "x"); err == nil {
		t.Error("a file that is not there is read")
	}
}
