package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// BenchmarkLargeCatalog searches 10,000 tables of 100 columns, each column with a
// description of five words, for one to eight words, one of them misspelt. It reports what 99 of
// a hundred searches take at most, and what the index takes.
// BenchmarkLargeCatalogWithVectors has vectors of 100 numbers for 100,000 words, among them
// all of the catalog; each word has some of similar meaning.
func BenchmarkLargeCatalogWithVectors(b *testing.B) { BenchmarkLargeCatalog(b) }

func randomVectors(b *testing.B, words []string) *Vectors {
	b.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	path := filepath.Join(b.TempDir(), "vectors.txt")
	var text strings.Builder
	var center [100]float64
	for i := range maxVectors {
		word := "x" + strings.Map(func(digit rune) rune { return digit + 'a' - '0' }, fmt.Sprint(i))
		if i < len(words) {
			word = words[i]
		}
		if i%8 == 0 {
			for k := range center {
				center[k] = r.NormFloat64()
			}
		}
		text.WriteString(word)
		for _, c := range center {
			fmt.Fprintf(&text, " %.4f", c+r.NormFloat64()/2)
		}
		text.WriteByte('\n')
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	v, err := ReadVectors(path)
	if err != nil {
		b.Fatal(err)
	}
	return v
}

func BenchmarkLargeCatalog(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("ba cor del en fi gra hol in jun kel lo mer nat or pel qui ren sal tor un ver wim xa yo zed")
	words := make([]string, 30_000)
	for i := range words {
		for range 2 + r.IntN(3) {
			words[i] += syllables[r.IntN(len(syllables))]
		}
	}
	word := func() string { return words[int(float64(len(words))*r.Float64()*r.Float64()*r.Float64())] } // some are common
	name := func(n int) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = word()
		}
		return strings.Join(parts, "_")
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	x, begin := NewIndex(), time.Now()
	for i := range 10_000 {
		id := fmt.Sprintf("%s_%d", name(2), i)
		columns := make([]api.Column, 100)
		for j := range columns {
			columns[j] = api.Column{Name: name(2), Description: strings.ReplaceAll(name(5), "_", " ")}
		}
		x.Declare(Declared{ID: id, Description: strings.ReplaceAll(name(8), "_", " ")})
		x.Learn(id, Learnt{Columns: columns})
	}
	if b.Name() == "BenchmarkLargeCatalogWithVectors" {
		x.Mean(randomVectors(b, words))
	}
	built := time.Since(begin)
	runtime.GC()
	runtime.ReadMemStats(&after)
	var took []time.Duration
	for b.Loop() {
		for i := range 100 {
			query := make([]string, 1+i%8)
			for j := range query {
				query[j] = word()
			}
			query[0] = query[0][:len(query[0])-1] + "q"
			begin := time.Now()
			x.Search(strings.Join(query, " "), 50, i%2 == 0, all)
			took = append(took, time.Since(begin))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB")
	b.ReportMetric(built.Seconds(), "built-s")
}
